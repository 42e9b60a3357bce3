package worker

import "encoding/json"

// codeForbidden is the engine's when a session may not call a function in the
// namespace asked, whether it is there or not.
const codeForbidden = "FORBIDDEN"

// atHomeFirst asks a router in the namespace of this worker, and where there is
// none, or none that may be asked, the one of the engine's default namespace.
// Whoever runs several systems in one engine means their own router.
func atHomeFirst(namespace string, ask func(namespace string) (json.RawMessage, error)) (json.RawMessage, error) {
	if namespace != "" {
		if answer, err := ask(namespace); !notFound(err) && remoteCode(err) != codeForbidden {
			return answer, err
		}
	}
	return ask("")
}
