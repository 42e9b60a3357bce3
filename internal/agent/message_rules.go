package agent

// Message keys, in the order the bits of a keyset are used.
const (
	mkContent = iota
	mkCustomType
	mkDetails
	mkDisplay
	mkErrorKind
	mkErrorMessage
	mkFunctionCallID
	mkFunctionID
	mkID
	mkIsError
	mkModel
	mkNativeStopReason
	mkProvider
	mkRole
	mkStopReason
	mkTimestamp
	mkUsage
	mkWarnings
	mkCount
)

var messageKeyNames = [mkCount]string{
	"content", "custom_type", "details", "display", "error_kind", "error_message",
	"function_call_id", "function_id", "id", "is_error", "model", "native_stop_reason",
	"provider", "role", "stop_reason", "timestamp", "usage", "warnings",
}

func messageKey(key str) int {
	switch string(key.bytes()) {
	case "content":
		return mkContent
	case "custom_type":
		return mkCustomType
	case "details":
		return mkDetails
	case "display":
		return mkDisplay
	case "error_kind":
		return mkErrorKind
	case "error_message":
		return mkErrorMessage
	case "function_call_id":
		return mkFunctionCallID
	case "function_id":
		return mkFunctionID
	case "id":
		return mkID
	case "is_error":
		return mkIsError
	case "model":
		return mkModel
	case "native_stop_reason":
		return mkNativeStopReason
	case "provider":
		return mkProvider
	case "role":
		return mkRole
	case "stop_reason":
		return mkStopReason
	case "timestamp":
		return mkTimestamp
	case "usage":
		return mkUsage
	case "warnings":
		return mkWarnings
	}
	return -1
}

// messageRule says what shape a member must have and whether it must be there.
type messageRule struct {
	id       int
	required bool
	shape    shape
}

// rulesOfRole lists each role's members in the order of the canonical form,
// which also is the order of checks.
var rulesOfRole = [...][]messageRule{
	RoleUser: {
		{mkContent, true, wantBlocks},
		{mkTimestamp, true, wantMillis},
	},
	RoleAssistant: {
		{mkContent, true, wantBlocks},
		{mkStopReason, true, wantString},
		{mkNativeStopReason, false, wantStringNull},
		{mkErrorMessage, false, wantStringNull},
		{mkErrorKind, false, wantStringNull},
		{mkWarnings, false, wantStrings},
		{mkUsage, false, wantUsage},
		{mkModel, true, wantString},
		{mkProvider, true, wantString},
		{mkTimestamp, true, wantMillis},
	},
	RoleFunctionResult: {
		{mkFunctionCallID, true, wantString},
		{mkFunctionID, true, wantString},
		{mkContent, true, wantBlocks},
		{mkDetails, false, wantAny},
		{mkIsError, false, wantBool},
		{mkTimestamp, true, wantMillis},
	},
	RoleCustom: {
		{mkCustomType, true, wantString},
		{mkContent, true, wantBlocks},
		{mkDisplay, false, wantStringNull},
		{mkDetails, false, wantAny},
		{mkTimestamp, true, wantMillis},
	},
}
