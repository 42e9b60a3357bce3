package worker

// Version is this worker's own version; it is not the wire contract's.
const Version = "0.1.0"

// ContractVersion is the published wire contract that this worker implements.
const ContractVersion = "1.1.0"

// Name is the worker's name unless the environment gives another, and the id
// of its configuration entry.
const Name = "context-manager"

// Description is what the engine lists.
const Description = "Turns a conversation and a target model into a context that fits: counts tokens, prunes old outputs, compacts history."
