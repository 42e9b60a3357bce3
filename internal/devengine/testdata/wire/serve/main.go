// Command serve runs the embedded engine alone, for the Node runner beside it:
//
//	go run ./internal/devengine/testdata/wire/serve 127.0.0.1:49134
//	cd internal/devengine/testdata/wire && npm i && node run.mjs --url ws://127.0.0.1:49134 --slow
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"context-manager/internal/devengine"
)

func main() {
	listen := ""
	if len(os.Args) > 1 {
		listen = os.Args[1]
	}
	e := devengine.New(devengine.Options{Listen: listen})
	if err := e.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(e.URL())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	_ = e.Close()
}
