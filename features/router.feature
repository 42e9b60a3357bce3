Feature: What the worker asks of a router, over a real engine

  Background:
    Given the history
      | user      | ~9000 |
      | assistant | r1    |
      | user      | q2    |
      | assistant | r2    |
      | user      | q3    |
    And the model big

  @engine @M18 @C17
  Scenario: C17 members of a model's record that nobody here knows are ignored
    Given the router knows
      | id  | window | output | record |
      | odd | 100000 | 10000  | {"id":"odd","provider":"fake","context_window":100000,"max_output_tokens":10000,"display_name":"Odd","pricing":{"input":3.5},"supports_tools":true,"speech":{"modality":"in"}} |
    And the model odd
    When assemble is called
    Then the answer has
      | model_resolved | "router" |
      | usable         | 80000    |
    And the router was asked for 1 model

  @engine @M18
  Scenario Outline: M18 a record that cannot be used is as good as none: <record>
    Given the router knows
      | id     | window | output | record   |
      | broken | 1      | 1      | <record> |
    And the model broken
    And the history
      | user | hello |
    When assemble is called
    Then the answer has
      | model_resolved | "fallback" |
      | usable         | 6349       |
    And the router was asked for 1 model

    Examples:
      | record                                          |
      | {"id":"broken"}                                 |
      | {"context_window":"much","max_output_tokens":1} |
      | [1, 2]                                          |

  @engine @M19
  Scenario: M19 an answer is good for a minute, its end included
    When assemble is called
    And 60000 ms pass
    And assemble is called again
    Then the router was asked for 1 model
    When 1 ms pass
    And assemble is called again
    Then the router was asked for 2 models
    And the answer has
      | usable | 172000 |

  @engine @M19
  Scenario: M19 that a model is unknown is good for five seconds
    Given the model nobody
    And the history
      | user | hello |
    When assemble is called
    And 5000 ms pass
    And assemble is called again
    Then the router was asked for 1 model
    When 1 ms pass
    And assemble is called again
    Then the router was asked for 2 models
    And the answer has
      | model_resolved | "fallback" |

  @engine @M19
  Scenario: M19 every provider of a model is asked for by itself
    Given the router knows
      | id   | provider | window | output |
      | same | one      | 100000 | 10000  |
      | same | two      | 50000  | 5000   |
      | own  | one      | 30000  | 3000   |
    And the model same of one
    When assemble is called
    And assemble is called again
    Then the answer has
      | usable | 80000 |
    Given the model same of two
    When assemble is called
    Then the answer has
      | usable | 40000 |
    Given the model own
    When assemble is called
    And the model own of one
    And assemble is called
    Then the router was asked for 4 models

  @engine @M19
  Scenario: M19 news of the router's models empty the cache
    When assemble is called
    And assemble is called again
    Then the router was asked for 1 model
    When the router announces that its models changed
    And assemble is called until the router was asked for 2 models
    Then the answer has
      | usable | 172000 |

  @engine @Z1
  Scenario: Z1 one chat with nothing but what a summary needs
    Given the router knows
      | id   | provider | window | output |
      | same | two      | 200000 | 8000   |
    And the model same of two
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the chat requests have
      | [0].model                 | "same"                                      |
      | [0].provider              | "two"                                       |
      | [0].tools                 | []                                          |
      | [0].messages              | 1 items                                     |
      | [0].messages[0].role      | "user"                                      |
      | [0].messages[0].content   | 1 items                                     |
      | [0].messages[0].timestamp | >= 1000000                                  |
      | [0].writer_ref.direction  | "write"                                     |
      | [0].system_prompt         | starts with "Create a new anchored summary" |
      | [0].request_id            | absent                                      |
      | [0].max_output_tokens     | absent                                      |

  @engine @Z1
  Scenario: Z1 no provider goes along when the request names none
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the chat requests have
      | [0].model    | "big"  |
      | [0].provider | absent |

  @engine @Z2
  Scenario: Z2 the text of the last message wins over the pieces
    Given the router does
      """
      {"type":"text_delta","delta":"not "}
      {"type":"text_delta","delta":"this"}
      {"type":"done","message":{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"thinking","text":"hm"},{"type":"text","text":"two"}],"stop_reason":"end"}}
      close
      answer {"ok":true,"provider":"p","model":"big","stop_reason":"end"}
      """
    When compact is called
    Then the answer has
      | status  | "ok"        |
      | summary | "one\\ntwo" |
    And the summariser was called 1 time

  @engine @Z3
  Scenario: Z3 pieces alone are put together, and what is no event is skipped
    Given the router does
      """
      {not json
      {"type":"text_delta","delta":"a"}
      {"type":"aurora","delta":"x"}
      ["text_delta"]
      {"type":"ping"}
      {"type":"text_delta","delta":"b"}
      close
      answer {"ok":true}
      """
    When compact is called
    Then the answer has
      | status  | "ok" |
      | summary | "ab" |
    And the summariser was called 1 time

  @engine @Z3
  Scenario: Z3 text and binary frames are taken in the order they come
    Given the router does
      """
      {"type":"text_delta","delta":"a"}
      binary {"type":"text_delta","delta":"b"}
      {"type":"text_delta","delta":"c"}
      close
      answer {"ok":true}
      """
    When compact is called
    Then the answer has
      | status  | "ok"  |
      | summary | "abc" |
    And the summariser was called 1 time

  @engine @Z4
  Scenario Outline: Z4 a stream that ends with an error is a failure: <event>
    Given the router does
      """
      {"type":"text_delta","delta":"half a summ"}
      <event>
      close
      answer {"ok":true}
      """
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "failed"}
      """
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | event |
      | {"type":"error","error":{"role":"assistant","content":[],"stop_reason":"error","error_message":"upstream said 529","error_kind":"transient"}} |
      | {"type":"stop","stop_reason":"error","error_message":"window exceeded","error_kind":"context_overflow"} |

  @engine @Z5
  Scenario: Z5 an answer that is not ok is a failure
    Given the router does
      """
      {"type":"text_delta","delta":"half a summ"}
      close
      answer {"ok":false,"provider":"p","model":"big","stop_reason":"error","error":{"code":"rate_limited","message":"upstream said 429"}}
      """
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "failed"}
      """
    And the summariser was called 1 time

  @engine @Z6
  Scenario Outline: Z6 whether anybody was there is told by the code alone: <code>, <text>
    Given the router does
      """
      close
      throw <code> <text>
      """
    When compact is called
    Then the answer has
      | status | "overflow" |
      | reason | "<reason>" |
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | code                        | text                        | reason      |
      | router/provider_unavailable | provider p unavailable      | unavailable |
      | function_not_found          | no such function            | unavailable |
      | router/unknown_provider     | model not found in the list | failed      |
      | invocation_failed           | no function answered        | failed      |

  @engine @Z7
  Scenario Outline: Z7 a summary of nothing is empty: "<text>"
    Given the router does
      """
      {"type":"done","message":{"role":"assistant","content":[{"type":"text","text":"<text>"}],"stop_reason":"end"}}
      close
      answer {"ok":true}
      """
    When compact is called
    Then the answer is
      """
      {"status": "empty", "reason": "empty"}
      """
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | text         |
      |              |
      | \\n  \\t \\n |

  @engine @K19
  Scenario: K19 without a router every try ends the same way and none leaves a lease behind
    Given there is no router
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "unavailable"}
      """
    When compact is called again
    Then the answer is
      """
      {"status": "overflow", "reason": "unavailable"}
      """
    And the summariser was called 0 times
    And no claim is left

  @engine @A28
  Scenario: A28 without a router a context that does not fit overflows after a real lease
    Given there is no router
    And the inline model 5000/500
    And the history
      | user | ~3000  |
      | user | ~3000  |
      | user | recent |
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 6053 tokens but usable budget is 4000 "
    And the error contains "compaction unavailable"
    And the summariser was called 0 times
    And no claim is left

  @engine @A29
  Scenario: A29 nor does one with limits of its own need a router
    Given there is no router
    And the inline model 10000/1000
    And the history
      | user | hello |
    When assemble is called with
      """
      {"system_prompt": "You are helpful."}
      """
    Then the answer has
      | model_resolved    | "inline"           |
      | usable            | 8000               |
      | applied.compacted | false              |
      | system_prompt     | "You are helpful." |
