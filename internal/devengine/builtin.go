package devengine

// addBuiltins puts the engine's own functions, trigger types and workers into
// the empty registries; Engine.mu is held. They all live in "default".
func (e *Engine) addBuiltins() {
	direct := map[string]func(*call) ([]byte, *fault){
		"engine::workers::register":         e.registerWorker,
		"engine::workers::list":             e.listWorkers,
		"engine::workers::info":             e.workerInfo,
		"engine::functions::list":           e.listFunctions,
		"engine::functions::info":           e.functionInfo,
		"engine::triggers::list":            e.listTypes,
		"engine::triggers::info":            e.typeInfo,
		"engine::registered-triggers::list": e.listBindings,
		"engine::registered-triggers::info": e.bindingInfo,
		"engine::unregister_trigger":        e.unregisterTrigger,
		"engine::channels::create":          e.createChannel,
	}
	for _, level := range logLevels {
		direct["engine::log::"+level.name] = e.logger(level.level)
	}
	e.addType(eventWorkers, "A worker connected, described itself or left", acceptAny)
	e.addType(eventFunctions, "The set of functions changed", acceptAny)
	e.inside = []inProcess{{name: "iii-engine-functions", prefix: "engine::"}, {name: "iii-worker-manager"}, {name: "iii-observability"}}
	if e.configuration != nil {
		direct["configuration::register"] = e.configurationRegister
		direct["configuration::set"] = e.configurationSet
		direct["configuration::get"] = e.configurationGet
		direct["configuration::list"] = e.configurationList
		direct["configuration::schema"] = e.configurationSchema
		e.addType(eventConfiguration, "A configuration entry was registered or updated", acceptConfigurationBinding)
		e.inside = append(e.inside, inProcess{name: "configuration", prefix: "configuration::"})
	}
	for id, f := range direct {
		e.addFunction(id, func(q *call) {
			result, bad := f(q)
			e.finish(q, result, bad)
		})
	}
	e.addFunction("engine::register_trigger", e.registerTrigger)
}

func (e *Engine) addFunction(id string, run func(*call)) {
	k := key{defaultNamespace, id}
	e.functions[k] = &function{key: k, run: run}
}

func (e *Engine) addType(id, description string, accept func([]byte) (any, *fault)) {
	k := key{defaultNamespace, id}
	e.types[k] = &triggerType{key: k, description: description, accept: accept}
}

// inProcess is a worker of the engine's own, as lists show it.
type inProcess struct {
	name   string
	prefix string // of its functions; empty when it has none
}

// Version is what the embedded engine says of itself: the release of the iii
// engine whose protocol it follows, marked as embedded.
const Version = "0.23.0-rc.4+embedded"
