Feature: context::count-tokens counts what messages, system prompt and tools cost

  Background:
    Given the model test-model

  @pure @T1
  Scenario: T1 one message, and no router is asked
    Given the history
      | user | hello |
    When count-tokens is called
    Then the answer is
      """
      {"tokens": 18, "estimator": "heuristic", "by_role": {"user": 18, "assistant": 0, "function_result": 0, "custom": 0}}
      """
    And the router was asked for 0 models

  @pure @T2 @T8 @E4
  Scenario: T2 the total is the sum of the roles
    Given the history
      | user                      | what is the weather           |
      | assistant                 | sunny with a chance of tokens |
      | result c1 of weather::get | 22 degrees                    |
      | custom                    | app-facing bookkeeping        |
    When count-tokens is called
    Then the answer has
      | tokens                  | 136 |
      | by_role.user            | 22  |
      | by_role.assistant       | 40  |
      | by_role.function_result | 44  |
      | by_role.custom          | 30  |

  @pure @T3
  Scenario: T3 custom messages are counted here
    Given the history
      | custom | ~500 |
    When count-tokens is called
    Then the answer has
      | tokens         | 524 |
      | by_role.custom | 524 |

  @pure @T4 @T8
  Scenario: T4 the system prompt counts and is in no role
    Given an empty history
    When count-tokens is called with
      """
      {"system_prompt": "xxxxxxxxxxxxxxxx"}
      """
    Then the answer has
      | tokens  | 4                                                       |
      | by_role | {"user":0,"assistant":0,"function_result":0,"custom":0} |

  @pure @T5 @T8 @E3
  Scenario: T5 a tool counts as a quarter of its bytes and is in no role
    Given an empty history
    When count-tokens is called with
      """
      {"tools": [{"name": "agent_trigger", "description": "Calls one function on the bus",
        "parameters": {"type": "object", "properties": {"function_id": {"type": "string"}}}}]}
      """
    Then the answer has
      | tokens  | 37                                                      |
      | by_role | {"user":0,"assistant":0,"function_result":0,"custom":0} |

  @pure @T6
  Scenario: T6 nothing costs nothing
    Given an empty history
    When count-tokens is called
    Then the answer has
      | tokens | 0 |
    When count-tokens is called with
      """
      {"system_prompt": "", "tools": []}
      """
    Then the answer has
      | tokens | 0 |

  @pure @T7
  Scenario: T7 counting agrees with assembling when nothing is rewritten
    Given the model big
    And the history
      | user      | what is the weather           |
      | assistant | sunny with a chance of tokens |
    And the request has
      """
      {"system_prompt": "Be brief and exact.", "tools": [{"name": "now", "description": "The time", "parameters": {}}]}
      """
    When count-tokens is called
    Then the answer has
      | tokens | 79 |
    When assemble is called with
      """
      {"options": {"request_overhead_tokens": 1000}}
      """
    Then the answer has
      | token_count                 | 1079  |
      | applied.initial_token_count | 1079  |
      | applied.pruned              | false |

  @pure @E1
  Scenario Outline: E1 a message costs a quarter of its bytes, not of its characters: <text>
    Given the history
      | user | <text> |
    When count-tokens is called
    Then the answer has
      | tokens | <tokens> |

    Examples:
      | text           | tokens |
      | ~100           | 117    |
      | ~3000          | 3017   |
      | ~9000          | 9017   |
      | q2             | 18     |
      | éééééééé       | 21     |
      | 🙂🙂🙂🙂       | 21     |
      | say "hi" twice | 21     |

  @pure @E1
  Scenario: E1 the sizes of the messages that other scenarios are made of
    Given the history
      | assistant | r0         |
      | assistant | hi there   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
    When count-tokens is called
    Then the answer has
      | by_role.assistant       | 121  |
      | by_role.function_result | 5041 |

  @pure @E1
  Scenario: E1 the spelling of a request costs nothing
    Given the model test-model
    When count-tokens is called with exactly
      """
      { "messages" : [ { "timestamp" : 1.001e3 , "content" : [ { "text" : "\u0068\u0065llo", "type" : "text" } ],
        "role" : "user", "not in the contract": 12345678901234567890 } ], "model": { "id": "test-model" } }
      """
    Then the answer has
      | tokens | 18 |

  @pure @E2
  Scenario Outline: E2 a bare text of <bytes> bytes costs <tokens>
    Given an empty history
    When count-tokens is called with
      """
      {"system_prompt": "<text>"}
      """
    Then the answer has
      | tokens | <tokens> |

    Examples:
      | bytes | text    | tokens |
      | 0     |         | 0      |
      | 3     | abc     | 0      |
      | 7     | abcdefg | 1      |
      | 8     | éééé    | 2      |

  @pure @E2
  Scenario: E2 400 bytes of text cost 100
    Given an empty history
    When count-tokens is called with
      """
      {"system_prompt": "~100"}
      """
    Then the answer has
      | tokens | 100 |

  @pure @E4
  Scenario: E4 every message is rounded down by itself
    Given the history
      | user | abc |
      | user | abc |
      | user | abc |
      | user | abc |
    When count-tokens is called
    Then the answer has
      | tokens | 72 |

  @pure @E5
  Scenario: E5 the details of a result are not counted
    Given the history
      | result orphan | done | {"details": null} |
    When count-tokens is called
    Then the answer has
      | tokens | 43 |
    Given the history
      | result orphan | done | {"details": {"status": "ok", "log": "a long text that never reaches the model, and so on, and so on, and so on"}} |
    When count-tokens is called
    Then the answer has
      | tokens | 43 |

  @pure @E6
  Scenario Outline: E6 the details of a result whose status is <status>
    Given the history
      | json | {"role":"function_result","function_call_id":"c1","function_id":"f","content":[],"details":{"reason":"~100","status":"<status>"},"is_error":false,"timestamp":1} |
    When count-tokens is called
    Then the answer has
      | tokens | <tokens> |

    Examples:
      | status | tokens |
      | denied | 138    |
      | ok     | 31     |

  @pure @E7
  Scenario Outline: E7 a model without a public encoding is counted by size: <model>
    Given the history
      | user | hello |
    When count-tokens is called with
      """
      {"model": {"id": "<model>"}}
      """
    Then the answer has
      | estimator | "heuristic" |
      | tokens    | 18          |

    Examples:
      | model             |
      | test-model        |
      | claude-sonnet-4-5 |
      | gemini-2.5-pro    |

  @pure @E7
  Scenario: E7 a model with a public encoding is counted by size when the caller says so
    Given the history
      | user | hello |
    When count-tokens is called with
      """
      {"model": {"id": "gpt-4o"}, "options": {"estimator": "heuristic"}}
      """
    Then the answer has
      | estimator | "heuristic" |
      | tokens    | 18          |

  @pure @E7
  Scenario: E7 a model with a public encoding is counted by it otherwise
    When count-tokens is called with exactly
      """
      {"model": {"id": "gpt-4o"}, "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}], "timestamp": 1001}]}
      """
    Then the answer has
      | estimator | "tokenizer" |
      | tokens    | 5           |

  @pure @E8
  Scenario: E8 the base64 text of an image counts like any other
    Given the history
      | result image c1 of browser::screenshot | 729420 |
    When count-tokens is called
    Then the answer has
      | by_role.function_result | 182403 |
