Feature: A head that is too long for one call is summarised in fragments

  Background:
    Given the inline model 10000/1000

  @pure @N10 @N11
  Scenario: N11 one message larger than the window takes several calls, each on top of the last
    Given the history
      | user      | ~20000 |
      | assistant | r0     |
      | user      | q      |
    And the summariser numbers its answers "anchored summary #"
    And the request has
      """
      {"options": {"tail_turns": 1}}
      """
    When assemble is called
    Then the answer has
      | usable                   | 8000                 |
      | applied.compacted        | true                 |
      | applied.tail_start_index | 2                    |
      | applied.summary          | "anchored summary 3" |
    And the summariser was called 3 times
    And the summariser calls have
      | [0].system | starts with "Create a new anchored summary" |
      | [1].system | starts with "Update the anchored summary"   |
      | [1].system | contains "anchored summary 1"               |
      | [2].system | contains "anchored summary 2"               |
      | [2].system | lacks "anchored summary 1"                  |
    And every summariser call has
      | system | contains "fragments" |
    And the fragments hold 80000 times "x" in order
    And every summariser call stays within 8000 tokens

  @pure @N11
  Scenario: N11 a head that fits takes one call, which speaks of no fragments
    Given the history
      | user      | ~6000 |
      | assistant | r0    |
      | user      | ~2500 |
    When assemble is called
    Then the answer has
      | applied.compacted | true |
    And the summariser was called 1 time
    And every summariser call has
      | system | lacks "fragments" |

  @pure @N11
  Scenario: N11 when the second call fails nothing of the first is used
    Given the history
      | user      | ~20000 |
      | assistant | r0     |
      | user      | q      |
    And the summariser first answers "anchored summary 1"
    And the summariser then fails with "provider exploded"
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 20068 tokens but usable budget is 8000 "
    And the error contains "compaction failed"
    And the summariser was called 2 times
    And no claim is left

  @pure @N11
  Scenario: N11 an earlier summary that leaves no room is refused before anything is paid for
    Given the history
      | user      | ~9000 |
      | assistant | r0    |
      | user      | q     |
    And the request has
      """
      {"options": {"previous_summary": "~10000"}}
      """
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 19074 tokens but usable budget is 8000 "
    And the error contains "compaction too_many_chunks"
    And the summariser was called 0 times
    And no claim is left

  @pure @N11
  Scenario: N11 a long one that leaves room is brought up to date
    Given the history
      | user      | ~9000 |
      | assistant | r0    |
      | user      | q     |
    And the request has
      """
      {"options": {"previous_summary": "~2925"}}
      """
    When assemble is called
    Then the answer has
      | applied.compacted | true                                     |
      | applied.summary   | "## Goal\\n- (scripted default summary)" |
    And the summariser was called 2 times

  @pure @N10 @N11
  Scenario: N11 a head that would take more than 32 calls is refused before anything is paid for
    Given the history
      | user      | ~300000 |
      | assistant | r0      |
      | user      | q       |
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 300068 tokens but usable budget is 8000 "
    And the error contains "compaction too_many_chunks"
    And the summariser was called 0 times
    And no claim is left

  @pure @N10 @N11
  Scenario: N11 summaries that grow too fast stop the run at 32 calls
    Given the history
      | user      | ~190000 |
      | assistant | r0      |
      | user      | q       |
    And the summariser answers 500 bytes more each time
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 190068 tokens but usable budget is 8000 "
    And the error contains "compaction too_many_chunks"
    And the summariser was called 32 times
    And no claim is left

  @pure @N11
  Scenario: N11 an input limit and a reserve bound the calls too
    Given the inline model 10000/1000 with input limit 4000
    And the history
      | user      | ~8000 |
      | assistant | r0    |
      | user      | q     |
    And the request has
      """
      {"options": {"reserved_tokens": 1000}}
      """
    When assemble is called
    Then the answer has
      | usable            | 3000 |
      | applied.compacted | true |
    And the summariser was called 4 times
    And every summariser call stays within 3000 tokens

  @pure @N11
  Scenario: N11 the deadline is one for all calls
    Given the settings
      | summarizer_timeout_ms | 1 |
    And the history
      | user      | ~20000 |
      | assistant | r0     |
      | user      | q      |
    And the summariser never answers
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 20068 tokens but usable budget is 8000 "
    And the error contains "compaction failed"
    And the summariser was called 1 time
    And no claim is left

  @pure @N11
  Scenario: N11 a short history costs no call
    Given the model small
    And the history
      | user      | hello    |
      | assistant | hi there |
    When assemble is called
    Then the answer has
      | applied.compacted | false |
      | token_count       | 53    |
    And the summariser was called 0 times

  @pure @N10
  Scenario: N10 fragments do not end inside a character
    Given the history
      | user      | 20000 times 🙂 |
      | assistant | r0             |
      | user      | q              |
    When assemble is called
    Then the answer has
      | applied.compacted | true |
    And the summariser was called 3 times
    And the fragments hold 20000 times "🙂" in order
