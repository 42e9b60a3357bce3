Feature: The budget follows from the limits of the model

  Background:
    Given an empty history

  @pure @M1 @M16
  Scenario: M1 limits in the request are taken as they are
    Given the inline model 10000/1000
    When assemble is called
    Then the answer has
      | model_resolved              | "inline" |
      | usable                      | 8000     |
      | effective_max_output_tokens | 1000     |
      | token_count                 | 0        |
    And the router was asked for 0 models

  @pure @M2
  Scenario: M2 an input limit stands without the output
    Given the inline model 10000/1000 with input limit 5000
    When assemble is called
    Then the answer has
      | model_resolved | "inline" |
      | usable         | 4000     |

  @pure @M3
  Scenario: M3 the caller may say what to reserve
    Given the inline model 10000/1000
    When assemble is called with
      """
      {"options": {"reserved_tokens": 0}}
      """
    Then the answer has
      | usable | 9000 |

  @pure @M4
  Scenario: M4 the router is asked once for a model without limits
    Given the router knows
      | id  | window | output |
      | mid | 32000  | 16000  |
    And the model mid
    When assemble is called
    Then the answer has
      | model_resolved | "router" |
      | usable         | 12800    |
    And the router was asked for 1 model
    And the router's questions have
      | [0].id | "mid" |

  @pure @M5 @M16
  Scenario: M5 a model that nobody knows is taken for a small one
    Given the model nobody
    When assemble is called
    Then the answer has
      | model_resolved              | "fallback" |
      | usable                      | 6349       |
      | effective_max_output_tokens | 1024       |

  @pure @M6
  Scenario: M6 so is any model when no router answers
    Given there is no router
    And the model big
    When assemble is called
    Then the answer has
      | model_resolved              | "fallback" |
      | usable                      | 6349       |
      | effective_max_output_tokens | 1024       |

  @pure @M7
  Scenario: M7 the guess can be switched off
    Given the settings
      | allow_fallback_limits | false |
    And the model nobody
    When assemble is called
    Then the call fails with "context/model_unresolved: could not resolve model limits (model nobody is not in the router catalog)"

  @pure @M7
  Scenario: M7 without a router the error says so
    Given there is no router
    And the settings
      | allow_fallback_limits | false |
    And the model big
    When assemble is called
    Then the call fails with "context/model_unresolved: could not resolve model limits (router unavailable: "

  @pure @M8 @M9
  Scenario Outline: M8 room for thinking at level <level>
    Given the router knows
      | id      | window | output | thinking        |
      | thinker | 100000 | 10000  | {"high": 16000} |
    And the model thinker
    When assemble is called with
      """
      {"options": {"thinking_level": "<level>"}}
      """
    Then the answer has
      | usable | <usable> |

    Examples:
      | level | usable |
      | high  | 64000  |
      | low   | 80000  |

  @pure @M10
  Scenario: M10 limits in the request know no thinking
    Given the inline model 10000/1000
    When assemble is called with
      """
      {"options": {"thinking_level": "xhigh"}}
      """
    Then the answer has
      | usable | 8000 |

  @pure @M11
  Scenario: M11 an output above the window leaves nothing, and nothing fits that
    Given the inline model 1000/2000
    When assemble is called
    Then the answer has
      | usable      | 0 |
      | token_count | 0 |

  @pure @M12 @M13
  Scenario Outline: M13 limits of <limits> leave <usable>
    Given the inline model <limits>
    When assemble is called with
      """
      {"options": {<options>}}
      """
    Then the answer has
      | usable | <usable> |

    Examples:
      | limits                               | options                  | usable               |
      | 200000/8000                          |                          | 172000               |
      | 32000/0                              |                          | 28800                |
      | 1000000/0                            |                          | 980000               |
      | 200000/8000 with input limit 100000  | "reserved_tokens": 20000 | 80000                |
      | 200000/64000 with input limit 200000 |                          | 180000               |
      | 8192/1024                            | "reserved_tokens": 10000 | 0                    |
      | 18446744073709551615/0               | "reserved_tokens": 0     | 18446744073709551615 |

  @pure @M13
  Scenario: M13 reserve and thinking are both left free
    Given the router knows
      | id      | window | output | thinking        |
      | thinker | 200000 | 8000   | {"high": 16000} |
    And the model thinker
    When assemble is called with
      """
      {"options": {"reserved_tokens": 20000, "thinking_level": "high"}}
      """
    Then the answer has
      | usable | 156000 |

  @pure @M14
  Scenario: M14 the output that a call would really ask for is what is set aside
    Given the router knows
      | id   | window | output | effective |
      | wide | 272000 | 128000 | 32000     |
    And the model wide
    When assemble is called
    Then the answer has
      | usable                      | 220000 |
      | effective_max_output_tokens | 32000  |

  @pure @M15
  Scenario: M15 but never more than the model can write
    Given the router knows
      | id   | window | output | effective |
      | wide | 272000 | 20000  | 32000     |
    And the model wide
    When assemble is called
    Then the answer has
      | usable                      | 232000 |
      | effective_max_output_tokens | 20000  |

  @pure @M18
  Scenario: M18 the provider of the request goes along with the question
    Given the router knows
      | id   | provider | window | output |
      | same | one      | 100000 | 10000  |
      | same | two      | 50000  | 5000   |
    And the model same of two
    When assemble is called
    Then the answer has
      | usable | 40000 |
    And the router's questions have
      | [0].id       | "same" |
      | [0].provider | "two"  |

  @pure @M17
  Scenario Outline: M17 the tail may take a quarter of the budget, here <budget> of <window>
    Given the inline model <window>/0
    And the request has
      """
      {"options": {"tail_turns": 2}}
      """
    And the history
      | user      | ~9000   |
      | assistant | r0      |
      | user      | <older> |
      | user      | <newer> |
    When compact is called
    Then the answer has
      | status           | "ok"   |
      | tail_start_index | <tail> |
    And the summariser was called 1 time

    Examples:
      | window | budget | older | newer | tail |
      | 44444  | 8000   | ~7960 | q     | 2    |
      | 44444  | 8000   | ~7970 | q     | 3    |
      | 22222  | 5000   | ~4960 | q     | 2    |
      | 22222  | 5000   | ~4970 | q     | 3    |

  @pure @M17
  Scenario Outline: M17 the caller's own tail budget is taken as it is: <budget>
    Given the model big
    And the history
      | user      | ~9000 |
      | assistant | r0    |
      | user      | ~86   |
      | user      | q     |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": <budget>}}
      """
    Then the answer has
      | status           | "ok"   |
      | tail_start_index | <tail> |
    And the summariser was called 1 time

    Examples:
      | budget | tail |
      | 120    | 2    |
      | 119    | 3    |
