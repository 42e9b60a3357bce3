package functions

// OnConfigChangeEvent is the nudge that the configuration changed. The value is
// fetched again, so nothing in the event is relied on.
type OnConfigChangeEvent struct {
	ID *string `json:"id,omitempty" jsonschema_default:"null" jsonschema_description:"Id of the configuration that changed. Only informative."`
}

// SchemaDescription describes the type in the schemas.
func (OnConfigChangeEvent) SchemaDescription() string {
	return "A nudge: the configuration changed and is fetched again. Unknown members are ignored."
}

// OnConfigChangeResponse confirms the nudge.
type OnConfigChangeResponse struct {
	OK bool `json:"ok" jsonschema_description:"Always true: the nudge was taken."`
}

// SchemaDescription describes the type in the schemas.
func (OnConfigChangeResponse) SchemaDescription() string {
	return "Confirms a change of the configuration."
}

// OnModelsChangedEvent is the nudge that the router's models changed. Every
// cached limit is dropped, whatever the event says.
type OnModelsChangedEvent struct {
	Provider *string `json:"provider,omitempty" jsonschema_default:"null" jsonschema_description:"Id of the provider whose models changed. Only informative."`
}

// SchemaDescription describes the type in the schemas.
func (OnModelsChangedEvent) SchemaDescription() string {
	return "A nudge: the router's models changed and all cached limits are dropped. Unknown members are ignored."
}

// OnModelsChangedResponse confirms the nudge.
type OnModelsChangedResponse struct {
	OK bool `json:"ok" jsonschema_description:"Always true: the nudge was taken."`
}

// SchemaDescription describes the type in the schemas.
func (OnModelsChangedResponse) SchemaDescription() string {
	return "Confirms a change of the router's models."
}
