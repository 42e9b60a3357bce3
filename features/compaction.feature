Feature: context::assemble summarises the oldest messages when pruning does not free enough

  Background:
    Given the model small
    And the history
      | user      | ~3000           |
      | assistant | r0              |
      | user      | ~3000           |
      | assistant | r1              |
      | user      | recent question |
      | assistant | recent answer   |

  @pure @A7 @A25 @A26 @A31
  Scenario: A7 a summary replaces the head, in two calls because the head is too long for one
    Given the summariser answers "## Goal\n- ship the feature"
    When assemble is called with
      """
      {"system_prompt": "Base prompt."}
      """
    Then the answer has
      | applied.initial_token_count    | 6162                           |
      | applied.compacted              | true                           |
      | applied.summary                | "## Goal\\n- ship the feature" |
      | applied.tail_start_index       | 3                              |
      | applied.tokens_before          | 6068                           |
      | applied.summarized_head_tokens | 6068                           |
      | applied.pruned                 | false                          |
      | applied.compaction_skipped     | absent                         |
      | token_count                    | 107                            |
      | usable                         | 4000                           |
      | system_prompt                  | "Base prompt.\\n\\n# Conversation summary\\n\\n## Goal\\n- ship the feature" |
    And the messages are the request's from 3
    And the summariser was called 2 times
    And every summariser call has
      | provider | absent                    |
      | user     | contains "<conversation>" |
    And no claim is left

  @pure @A8
  Scenario: A8 the newest turn stays even when it is larger than the tail should be
    Given the history
      | user      | ~3000 |
      | assistant | r0    |
      | user      | ~3000 |
    And the summariser answers "## Goal\n- carry on now"
    When assemble is called
    Then the answer has
      | applied.compacted        | true    |
      | applied.tail_start_index | 2       |
      | messages                 | 1 items |
      | token_count              | 3028    |
    And the messages are the request's from 2
    And the summariser was called 1 time

  @pure @A9
  Scenario: A9 a history without a user turn is not summarised away
    Given the history
      | call c1   | shell::run |
      | result c1 | ~6000      |
    When assemble is called
    Then the answer has
      | applied.compacted                 | false                |
      | applied.compaction_skipped.reason | "nothing_to_compact" |
      | applied.pruned                    | true                 |
      | token_count                       | <= 4000              |
      | messages                          | 2 items              |
    And the messages are the request's except 1
    And the summariser was called 0 times
    And no claim is left

  @pure @A10
  Scenario: A10 what pruning leaves is summarised when it is still too much
    Given the settings
      | protect_recent_tokens | 0 |
      | min_free_tokens       | 1 |
    And the history
      | user      | task       |
      | call c1   | shell::run |
      | result c1 | ~3000      |
      | assistant | ok         |
      | user      | ~4000      |
      | assistant | r1         |
      | user      | recent     |
      | assistant | fine       |
    And the summariser answers "## Goal\n- carry on"
    When assemble is called
    Then the answer has
      | applied.pruned_tokens    | 2992                   |
      | applied.pruned           | true                   |
      | applied.compacted        | true                   |
      | applied.tail_start_index | 5                      |
      | applied.summary          | "## Goal\\n- carry on" |
      | token_count              | <= 4000                |
    And the messages are the request's from 5
    And the summariser was called 2 times

  @pure @A11
  Scenario: A11 without the permission to compact the call overflows and says what it tried
    When assemble is called with
      """
      {"options": {"allow_compaction": false}}
      """
    Then the call fails with "context/overflow: assembled context requires 6159 tokens but usable budget is 4000 (limits inline; system 0, tools 0, overhead 0; largest: [0] user 3017, [2] user 3017, [5] assistant 36, [1] assistant 34, [3] assistant 34; tried: prune 0, compaction disabled, reduce 0)"
    And the summariser was called 0 times
    And no claim is left

  @pure @A12
  Scenario: A12 while another compaction holds the lease the call overflows
    Given a foreign claim on the default key, 0 ms old
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 6159 tokens but usable budget is 4000 "
    And the error contains "compaction lease_busy"
    And the summariser was called 0 times
    And the claim on the default key is still foreign

  @pure @A13
  Scenario: A13 a summariser that fails leaves an overflow and no lease
    Given the summariser fails with "provider exploded"
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 6159 tokens but usable budget is 4000 "
    And the error contains "compaction failed"
    And the summariser was called 1 time
    And no claim is left

  @pure @A13
  Scenario Outline: A13 the error says why there is no summary: <reason>
    Given the summariser <does>
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 6159 tokens but usable budget is 4000 "
    And the error contains "compaction <reason>"
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | reason      | does                              |
      | unavailable | is unavailable                    |
      | empty       | answers ""                        |
      | empty       | answers "\n  "                    |
      | rejected    | stops for length after "## Goal"  |
      | rejected    | stops for aborted after "## Goal" |

  @pure @A17
  Scenario: A17 an earlier summary is in the prompt while everything fits
    Given the history
      | user | hello |
    And the request has
      """
      {"system_prompt": "Base.", "options": {"previous_summary": "## Goal\n- finish the migration of the old dbs"}}
      """
    When assemble is called
    Then the answer has
      | system_prompt     | "Base.\\n\\n# Conversation summary\\n\\n## Goal\\n- finish the migration of the old dbs" |
      | token_count       | 37     |
      | applied.compacted | false  |
      | applied.summary   | absent |
    And the summariser was called 0 times

  @pure @A18 @A19
  Scenario: A18 a new summary replaces the earlier one
    Given the request has
      """
      {"system_prompt": "Base prompt.", "options": {"previous_summary": "OLD-ANCHOR-TEXT"}}
      """
    And the summariser answers "NEW-SUMMARY-TEXT"
    When assemble is called
    Then the answer has
      | applied.compacted | true               |
      | applied.summary   | "NEW-SUMMARY-TEXT" |
      | system_prompt     | "Base prompt.\\n\\n# Conversation summary\\n\\nNEW-SUMMARY-TEXT" |
    And the summariser was called 2 times
    And the summariser calls have
      | [0].system | starts with "Update the anchored summary" |
      | [0].system | contains "<previous-summary>\\nOLD-ANCHOR-TEXT\\n</previous-summary>" |
      | [1].system | contains "NEW-SUMMARY-TEXT"               |
      | [1].system | lacks "OLD-ANCHOR-TEXT"                   |

  @pure @A19
  Scenario: A19 without an earlier summary a new one is asked for
    When assemble is called
    Then the answer has
      | applied.compacted | true |
    And the summariser was called 2 times
    And the summariser calls have
      | [0].system | starts with "Create a new anchored summary" |
      | [0].system | lacks "<previous-summary>"                  |

  @pure @A20
  Scenario: A20 whoever does not keep the summary pays for it again
    When assemble is called
    Then the answer has
      | applied.compacted | true |
    When assemble is called again
    Then the answer has
      | applied.compacted | true |
    And the summariser was called 4 times

  @pure @A20
  Scenario: A20 whoever keeps it does not
    Given the summariser answers "NEW-SUMMARY-TEXT"
    And the request has
      """
      {"system_prompt": "Base prompt."}
      """
    When assemble is called
    And the history is what came back
    And assemble is called with
      """
      {"options": {"previous_summary": "NEW-SUMMARY-TEXT"}}
      """
    Then the answer has
      | applied.compacted | false   |
      | token_count       | 104     |
      | messages          | 3 items |
    And the messages are the request's
    And the summariser was called 2 times

  @pure @A22
  Scenario: A22 the index of the tail counts the request's messages, customs included
    Given the history
      | custom    | app-facing bookkeeping |
      | user      | ~3000                  |
      | assistant | r0                     |
      | user      | ~3000                  |
      | assistant | r1                     |
      | user      | recent question        |
      | assistant | recent answer          |
    When assemble is called
    Then the answer has
      | applied.compacted        | true    |
      | applied.tail_start_index | 4       |
      | messages                 | 3 items |
    And the messages are the request's from 4
    And the summariser was called 2 times
    And every summariser call has
      | user | lacks "bookkeeping" |

  @pure @A23
  Scenario: A23 a tail does not begin with a result whose call would be gone
    Given the history
      | user      | ~3000      |
      | assistant | r0         |
      | user      | follow up  |
      | call c2   | shell::run |
      | result c2 | ~2100      |
      | assistant | done       |
    When assemble is called
    Then the answer has
      | applied.compacted        | true |
      | applied.tail_start_index | 5    |
    And the messages are the request's from 5
    And the summariser was called 1 time
    And the summariser calls have
      | [0].user | contains "[tool_call] shell::run" |

  @pure @A24
  Scenario: A24 an inline result opens no turn and keeps its call
    Given the history
      | user      | ~4000      |
      | assistant | r0         |
      | user      | follow up  |
      | call c7   | shell::run |
      | inline c7 |            |
      | assistant | done       |
    When assemble is called
    Then the answer has
      | applied.compacted        | true |
      | applied.tail_start_index | 1    |
    And the messages are the request's from 1
    And the summariser was called 2 times

  @pure @A26 @L8
  Scenario: A26 the default key is made of the whole request, customs included
    Given the history
      | custom    | app-facing bookkeeping |
      | user      | ~3000                  |
      | assistant | r0                     |
      | user      | ~3000                  |
    And a foreign claim on the default key, 0 ms old
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 6068 tokens but usable budget is 4000 "
    And the error contains "compaction lease_busy"
    And the summariser was called 0 times
    And the claim on the default key is still foreign

  @pure @A26
  Scenario: A26 the lease goes back when there was nothing to do
    Given the history
      | user | ~5000 |
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 5017 tokens but usable budget is 4000 "
    And the error contains "compaction nothing_to_compact"
    And the summariser was called 0 times
    And no claim is left

  @pure @A27
  Scenario: A27 no turns to keep means no compaction, because nothing would be left to send
    When assemble is called with
      """
      {"options": {"tail_turns": 0}}
      """
    Then the call fails with "context/overflow: assembled context requires 6159 tokens but usable budget is 4000 "
    And the error contains "compaction nothing_to_compact"
    And the summariser was called 0 times
    And no claim is left

  @pure @A31
  Scenario Outline: A31 a summary of <size> tokens for a head of 3017 is <verdict>
    Given the history
      | user      | ~3000   |
      | assistant | r0      |
      | user      | ~<tail> |
    And the summariser answers with <size> tokens
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires <total> tokens but usable budget is 4000 "
    And the error contains "compaction rejected"
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | size | verdict                   | tail | total |
      | 3017 | refused: it saves nothing | 1000 | 4068  |
      | 3016 | refused: it does not fit  | 1000 | 4068  |
      | 2944 | refused: it does not fit  | 1000 | 4068  |

  @pure @A31
  Scenario: A31 a summary that just fits is taken
    Given the history
      | user      | ~3000 |
      | assistant | r0    |
      | user      | ~1000 |
    And the summariser answers with 2943 tokens
    When assemble is called
    Then the answer has
      | applied.compacted | true |
      | token_count       | 4000 |
    And the summariser was called 1 time
