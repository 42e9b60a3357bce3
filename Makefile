.PHONY: help build test race lint goldens bench-report ci

help: ## show the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the worker into bin/
	go build -o bin/context-manager ./cmd/context-manager

test: ## what the README says
	go test ./...

race: ## the tests under the race detector
	go test -race ./...

lint: ## vet, formatting, staticcheck
	go vet ./...
	test -z "$$(gofmt -l .)"
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

goldens: ## write the goldens anew
	UPDATE_GOLDENS=1 go test ./...

bench-report: ## the numbers of docs/performance.md
	go test -run '^$$' -bench . -benchmem ./internal/agent ./functions ./internal/bus ./internal/tokens ./internal/tokens/bpe ./worker

ci: ## the project's own check
	bash .ci/run
