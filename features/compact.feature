Feature: context::compact summarises the older part of a conversation now

  Background:
    Given the model big
    And the history
      | user      | ~9000 |
      | assistant | r1    |
      | user      | q2    |
      | assistant | r2    |
      | user      | q3    |
      | assistant | r3    |

  @pure @K1
  Scenario: K1 an empty history needs no summary, no lease and no model
    Given an empty history
    When compact is called
    Then the answer has
      | status | "empty"              |
      | reason | "nothing_to_compact" |
    And the summariser was called 0 times
    And the router was asked for 0 models
    And no claim is left

  @pure @K2 @K14 @K16 @L6
  Scenario: K2 a summary, the tail and the sizes of both, however much room there is
    Given the summariser answers "## Goal\n- finish the migration"
    When compact is called
    Then the answer is
      """
      {"status": "ok", "summary": "## Goal\n- finish the migration", "tail_start_index": 2,
       "tokens_before": 9051, "tokens_after": 111, "used_prior_summary": false, "estimator": "heuristic"}
      """
    And the summariser was called 1 time
    And no claim is left

  @pure @K3
  Scenario: K3 how many turns stay is the caller's choice
    Given the summariser answers "## Goal\n- finish the migration"
    When compact is called with
      """
      {"options": {"tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 4    |
      | tokens_before    | 9103 |
      | tokens_after     | 59   |
    And the summariser was called 1 time

  @pure @K4 @S4
  Scenario: K4 with no turn to keep everything is summarised
    Given the history
      | user      | the first question |
      | assistant | hello              |
    When compact is called with
      """
      {"options": {"tail_turns": 0}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | null |
      | tokens_before    | 56   |
      | tokens_after     | 9    |
    And the summariser was called 1 time

  @pure @K5
  Scenario: K5 an earlier summary is brought up to date
    Given the history
      | user | ~9000 |
      | user | q2    |
      | user | q3    |
    When compact is called with
      """
      {"options": {"previous_summary": "## Goal\n- the anchor"}}
      """
    Then the answer has
      | status             | "ok" |
      | used_prior_summary | true |
      | tail_start_index   | 1    |
      | tokens_before      | 9017 |
      | tokens_after       | 45   |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].system | starts with "Update the anchored summary" |
      | [0].system | contains "<previous-summary>\\n## Goal\\n- the anchor\\n</previous-summary>" |

  @pure @K6
  Scenario Outline: K6 without an earlier summary a new one is asked for: <given>
    When compact is called with
      """
      {"options": {<option>}}
      """
    Then the answer has
      | status             | "ok"  |
      | used_prior_summary | false |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].system | starts with "Create a new anchored summary" |
      | [0].system | lacks "<previous-summary>"                  |

    Examples:
      | given | option                         |
      | none  |                                |
      | null  | "previous_summary": null       |
      | empty | "previous_summary": ""         |
      | blank | "previous_summary": " \\n\\t " |

  @pure @K7
  Scenario: K7 nobody to write summaries is an outcome, not an error
    Given the summariser is unavailable
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "unavailable"}
      """
    And the summariser was called 1 time
    And no claim is left

  @pure @K7
  Scenario: K7 neither is a router that is not there
    Given there is no router
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "unavailable"}
      """
    And the summariser was called 0 times
    And no claim is left

  @pure @K8
  Scenario: K8 a summariser that fails
    Given the summariser fails with "429 rate limited"
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "failed"}
      """
    And the summariser was called 1 time
    And no claim is left

  @pure @K9 @Z7
  Scenario Outline: K9 a summary of nothing: <text>
    Given the summariser answers "<text>"
    When compact is called
    Then the answer is
      """
      {"status": "empty", "reason": "empty"}
      """
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | text     |
      |          |
      | \\n  \\t |

  @pure @K10
  Scenario: K10 images do not reach the summariser
    Given the history
      | user image | 400   |
      | user       | ~9000 |
      | user       | q2    |
      | user       | q3    |
    When compact is called
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].user | contains "[image stripped]" |
      | [0].user | lacks "AAAA"                |

  @pure @K11
  Scenario: K11 long outputs keep their beginning and their end
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | user      | q2         |
      | user      | q3         |
    When compact is called
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 3    |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].user | contains "... [truncated]"                                |
      | [0].user | contains "[tool_call] shell::run {\\"arg\\":\\"value\\"}" |
      | [0].user | contains "[function_result] shell::run"                   |

  @pure @K11
  Scenario: K11 six tenths of what stays are the beginning, and user texts stay whole
    Given the settings
      | max_output_chars | 10 |
    And the history
      | user      | 01234567890123456789012345678901234567890123456789 |
      | call c1   | shell::run                                         |
      | result c1 | abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX |
      | user      | q2                                                 |
      | user      | q3                                                 |
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].user | contains "\\nabcdef... [truncated]UVWX\\n" |
      | [0].user | contains "\\n01234567890123456789012345678901234567890123456789\\n" |

  @pure @K12
  Scenario: K12 the summary is written by the model and provider of the request
    Given the router knows
      | id   | provider | window | output |
      | same | two      | 200000 | 8000   |
    And the model same of two
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].model    | "same" |
      | [0].provider | "two"  |

  @pure @K13 @S5
  Scenario: K13 a single turn has nothing to summarise
    Given the history
      | user      | ~900 |
      | assistant | r1   |
    When compact is called
    Then the answer is
      """
      {"status": "empty", "reason": "nothing_to_compact"}
      """
    And the summariser was called 0 times
    And no claim is left

  @pure @K13
  Scenario: K13 but the lease is taken first
    Given the history
      | user      | ~900 |
      | assistant | r1   |
    And a foreign claim on the default key, 0 ms old
    When compact is called
    Then the answer is
      """
      {"status": "busy", "reason": "lease_busy"}
      """
    And the summariser was called 0 times

  @pure @K15
  Scenario: K15 custom messages count, are summarised and stay in the tail
    Given the history
      | user   | ~9000                  |
      | custom | app-facing bookkeeping |
      | user   | q2                     |
      | custom | ~100                   |
      | user   | q3                     |
    When compact is called
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
      | tokens_before    | 9047 |
      | tokens_after     | 169  |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].user | contains "[custom]\\napp-facing bookkeeping" |

  @pure @K17
  Scenario Outline: K17 the budget of a compaction has the default reserve: <window>/<output>
    Given the inline model <window>/<output>
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called <calls> times

    Examples:
      | window | output | calls |
      | 11200  | 600    | 1     |
      | 11200  | 700    | 2     |

  @pure @K18
  Scenario Outline: K18 the caller's guidance for one summary: <given>
    When compact is called with
      """
      {"options": {"instructions": "<instructions>"}}
      """
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the summariser calls have
      | [0].system | <expectation> |
    When compact is called again
    Then the summariser calls have
      | [1].system | lacks "<instructions>" |
    And the summariser was called 2 times

    Examples:
      | given   | instructions           | expectation                                                  |
      | trimmed | \\n keep the paths \\t | contains "<instructions>\\nkeep the paths\\n</instructions>" |
      | blank   | \\n \\t                | lacks "<instructions>"                                       |
      | long    | ~501                   | contains "xxxx... [truncated]\\n</instructions>"             |

  @pure @K2
  Scenario Outline: K2 a summary that is not whole is refused: <stop>
    Given the summariser stops for <stop> after "## Goal"
    When compact is called
    Then the answer is
      """
      {"status": "overflow", "reason": "rejected"}
      """
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | stop    |
      | length  |
      | aborted |

  @pure @K2
  Scenario Outline: K2 a summary of <size> tokens for a head of 9051
    Given the summariser answers with <size> tokens
    When compact is called
    Then the answer has
      | status | <status> |
      | reason | <reason> |
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | size | status     | reason     |
      | 9050 | "ok"       | absent     |
      | 9051 | "overflow" | "rejected" |
