Feature: The wire contract that all functions share

  @pure @C1 @C2
  Scenario: C1 the functions and their metadata
    When the functions are listed
    Then the answer is
      """
      {
        "context::assemble":          {"internal": true, "trace_hidden": true},
        "context::compact":           {"internal": true, "trace_hidden": true},
        "context::prune":             {"trace_hidden": true},
        "context::count-tokens":      {"trace_hidden": true},
        "context::on-config-change":  {"internal": true, "trace_hidden": true},
        "context::on-models-changed": {"internal": true, "trace_hidden": true}
      }
      """

  @pure @C2
  Scenario Outline: C2 <function> takes any payload
    When <function> is called with exactly
      """
      {"id": 7, "anything": [1, 2, 3]}
      """
    Then the answer is
      """
      {"ok": true}
      """

    Examples:
      | function          |
      | on-config-change  |
      | on-models-changed |

  @pure @C3 @C5 @C11
  Scenario Outline: C3 <function> without messages, <spelling>
    When <function> is called with exactly
      """
      {"model": {"id": "test-model"}<member>}
      """
    Then the call fails with "context/invalid_request: messages is required"

    Examples:
      | function     | spelling | member             |
      | assemble     | absent   |                    |
      | compact      | absent   |                    |
      | count-tokens | absent   |                    |
      | assemble     | null     | , "messages": null |
      | compact      | null     | , "messages": null |
      | count-tokens | null     | , "messages": null |

  @pure @C4 @C5
  Scenario Outline: C4 prune without messages: <request>
    When prune is called with exactly
      """
      <request>
      """
    Then the call fails with "context/invalid_request: messages is required"

    Examples:
      | request            |
      | {}                 |
      | {"messages": null} |

  @pure @C6
  Scenario Outline: C6 <function> without model and messages misses the model first
    When <function> is called with exactly
      """
      {}
      """
    Then the call fails with "context/invalid_request: model: "

    Examples:
      | function     |
      | assemble     |
      | compact      |
      | count-tokens |

  @pure @C7
  Scenario: C7 a role that does not exist is refused
    When count-tokens is called with exactly
      """
      {"model": {"id": "m"}, "messages": [{"role": "wizard", "content": [], "timestamp": 1}]}
      """
    Then the call fails with "context/invalid_request: messages[0].role: "
    And the error contains "wizard"

  @pure @C8
  Scenario: C8 messages without a model are not counted
    When count-tokens is called with exactly
      """
      {"messages": []}
      """
    Then the call fails with "context/invalid_request: model: "

  @pure @C9
  Scenario: C9 members of a later version are no error
    Given the model big
    And the history
      | user | hello |
    When assemble is called with
      """
      {"future_option": 42, "options": {"another_one": {"deep": [true]}}}
      """
    Then the answer has
      | model_resolved | "router" |
      | token_count    | 18       |
    And the router was asked for 1 model

  @pure @C10
  Scenario: C10 pruning needs no model
    When prune is called with exactly
      """
      {"messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}], "timestamp": 1}]}
      """
    Then the answer has
      | pruned_parts | 0       |
      | messages     | 1 items |

  @pure @C11
  Scenario: C11 the code is what stands before the first colon
    Given the inline model 5000/4400
    And the history
      | user | ~300 |
    When assemble is called with
      """
      {"options": {"allow_compaction": false}}
      """
    Then the call fails with "context/overflow: assembled context requires 317 tokens but usable budget is 100"
    And the summariser was called 0 times

  @pure @C13
  Scenario: C13 every kind of message and block passes through
    When prune is called with exactly
      """
      {"messages": [
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "mime": "image/png", "data": "AAAA"}], "timestamp": 1001},
        {"role": "assistant", "content": [
          {"type": "thinking", "text": "hm", "signature": "c2ln"},
          {"type": "function_call", "id": "c1", "function_id": "shell::run", "arguments": {"arg": "value"}},
          {"type": "function_call", "id": "c2", "function_id": "shell::run", "arguments": null}],
          "stop_reason": "function_call", "model": "m", "provider": "p", "usage": {"input": 5, "cost_usd": 0.25}, "warnings": ["w"], "timestamp": 1002},
        {"role": "function_result", "function_call_id": "c1", "function_id": "shell::run", "content": [{"type": "text", "text": "done"}],
          "details": {"exit": 0}, "is_error": false, "timestamp": 1003},
        {"role": "user", "content": [{"type": "function_result", "function_call_id": "c2", "content": [{"type": "text", "text": "done"}], "is_error": true}], "timestamp": 1004},
        {"role": "custom", "custom_type": "ui_marker", "content": [], "display": "shown", "details": [1], "timestamp": -1}]}
      """
    Then the answer has
      | messages     | 5 items |
      | pruned_parts | 0       |
    And the messages are the request's

  @pure @C13
  Scenario: C13 members and block types that nobody knows yet survive
    When prune is called with exactly
      """
      {"messages": [
        {"role": "user", "content": [{"type": "hologram", "beam": [1, {"wide": true}]}, {"type": "text", "text": "look", "lang": "en"}], "timestamp": 1001, "id": "m-1"}]}
      """
    Then the answer has
      | messages[0].id      | "m-1" |
      | messages[0].content | [{"type":"hologram","beam":[1,{"wide":true}]},{"type":"text","text":"look","lang":"en"}] |
    And the messages are the request's

  @pure @C14
  Scenario Outline: C14 a message with the <member> "<value>" is kept
    Given the history
      | assistant | hello | {"<member>": "<value>"} |
    When prune is called
    Then the answer has
      | messages[0].<member> | "<value>" |
    And the messages are the request's

    Examples:
      | member      | value            |
      | stop_reason | end              |
      | stop_reason | length           |
      | stop_reason | function_call    |
      | stop_reason | aborted          |
      | stop_reason | error            |
      | stop_reason | bored            |
      | error_kind  | auth_expired     |
      | error_kind  | rate_limited     |
      | error_kind  | context_overflow |
      | error_kind  | transient        |
      | error_kind  | permanent        |
      | error_kind  | cosmic           |

  @pure @C14
  Scenario Outline: C14 the thinking level <level> is accepted
    Given the model small
    And the history
      | user | hello |
    When assemble is called with
      """
      {"options": {"thinking_level": "<level>"}}
      """
    Then the answer has
      | token_count | 18 |

    Examples:
      | level   |
      | minimal |
      | low     |
      | medium  |
      | high    |
      | xhigh   |

  @pure @C14
  Scenario: C14 a thinking level that does not exist is refused
    Given the model small
    And the history
      | user | hello |
    When assemble is called with
      """
      {"options": {"thinking_level": "extreme"}}
      """
    Then the call fails with "context/invalid_request: options.thinking_level: "

  @pure @C14
  Scenario Outline: C14 tools may run <mode>
    Given the model small
    And the history
      | user | hello |
    When count-tokens is called with
      """
      {"tools": [{"name": "t", "description": "d", "parameters": {}, "execution_mode": "<mode>"}]}
      """
    Then the answer has
      | tokens | <tokens> |

    Examples:
      | mode       | tokens |
      | parallel   | 36     |
      | sequential | 37     |

  @pure @C14
  Scenario: C14 an execution mode that does not exist is refused
    Given the model small
    And the history
      | user | hello |
    When count-tokens is called with
      """
      {"tools": [{"name": "t", "description": "d", "parameters": {}, "execution_mode": "later"}]}
      """
    Then the call fails with "context/invalid_request: tools[0].execution_mode: "

  @pure @C15
  Scenario Outline: C15 leaving out <member> costs what its default costs
    Given the model test-model
    And the history
      | json | <explicit> |
    When count-tokens is called
    Then the answer has
      | tokens | <tokens> |
    Given the history
      | json | <short> |
    When count-tokens is called again
    Then the answer has
      | tokens | <tokens> |

    Examples:
      | member    | tokens | explicit | short |
      | arguments | 43     | {"role":"assistant","content":[{"type":"function_call","id":"c1","function_id":"shell::run","arguments":null}],"stop_reason":"end","model":"m","provider":"p"} | {"role":"assistant","content":[{"type":"function_call","id":"c1","function_id":"shell::run"}],"stop_reason":"end","model":"m","provider":"p"} |
      | details   | 34     | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[],"details":null,"is_error":false} | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[],"is_error":false} |
      | is_error  | 34     | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[],"details":null,"is_error":false} | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[],"details":null} |

  @pure @C15
  Scenario: C15 a message without a timestamp is refused
    When count-tokens is called with exactly
      """
      {"model": {"id": "m"}, "messages": [{"role": "user", "content": [], "timestamp": 1}, {"role": "user", "content": []}]}
      """
    Then the call fails with "context/invalid_request: messages[1].timestamp: "

  @pure @C16
  Scenario: C16 what is absent stays absent
    Given the model small
    And the history
      | user      | hello                                                    |
      | assistant | hi                                                       |
      | json      | {"role":"custom","custom_type":"ui_marker","content":[]} |
    When prune is called
    Then the answer has
      | messages[1].error_message | absent  |
      | messages[1].error_kind    | absent  |
      | messages[1].usage         | absent  |
      | messages[2].display       | absent  |
      | messages                  | 3 items |
    And the messages are the request's
