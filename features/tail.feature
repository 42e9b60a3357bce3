Feature: Which messages stay word for word when the rest is summarised

  Background:
    Given the model big

  @pure @S1
  Scenario: S1 what stands before the first user message belongs to no turn
    Given the history
      | assistant | ~2000 |
      | assistant | ~2000 |
      | user      | q1    |
      | assistant | r1    |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 100000, "tail_turns": 5}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S1
  Scenario: S1 a user message of results alone opens no turn
    Given the history
      | user      | ~2000      |
      | assistant | r0         |
      | user      | q1         |
      | call c1   | shell::run |
      | inline c1 |            |
      | assistant | r1         |
    When compact is called with
      """
      {"options": {"tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S2
  Scenario Outline: S2 where a cut may fall: a budget of <budget> lets it start at <tail>
    Given the history
      | user      | ~2000      |
      | assistant | r0         |
      | user      | q1         |
      | call c1   | shell::run |
      | custom    | note       |
      | result c1 | ~100       |
      | custom    | note       |
      | assistant | done       |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": <budget>, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok"   |
      | tail_start_index | <tail> |
    And the summariser was called 1 time

    Examples:
      | budget | tail |
      | 295    | 2    |
      | 294    | 3    |
      | 277    | 3    |
      | 276    | 7    |
      | 34     | 7    |
      | 33     | 2    |

  @pure @S2
  Scenario: S2 no cut between a call and its late answer
    Given the history
      | user      | ~3500      |
      | assistant | r0         |
      | user      | go         |
      | call c1   | shell::run |
      | assistant | ~100       |
      | result c1 | ~900       |
      | assistant | done       |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 1200, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S2
  Scenario: S2 no cut between a call and its late answer, not even for a small budget
    Given the history
      | user      | ~3500      |
      | assistant | r0         |
      | user      | go         |
      | call c1   | shell::run |
      | assistant | ~100       |
      | result c1 | ~900       |
      | assistant | done       |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 1120, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 6    |
    And the summariser was called 1 time

  @pure @S3
  Scenario: S3 one turn of two is kept
    Given the history
      | user      | q1 |
      | assistant | r1 |
      | user      | q2 |
      | assistant | r2 |
    And the summariser answers "## Goal"
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 1000, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
      | tokens_before    | 52   |
    And the summariser was called 1 time

  @pure @S4
  Scenario: S4 no turn at all is kept
    Given the history
      | user      | ~100 |
      | assistant | r1   |
      | user      | ~100 |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 1000, "tail_turns": 0}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | null |
      | tokens_before    | 268  |
    And the summariser was called 1 time

  @pure @S5 @S12
  Scenario Outline: S5 a single turn leaves nothing to summarise, whatever the budget: <budget>
    Given the history
      | user      | ~100 |
      | assistant | r1   |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": <budget>}}
      """
    Then the answer is
      """
      {"status": "empty", "reason": "nothing_to_compact"}
      """
    And the summariser was called 0 times

    Examples:
      | budget |
      | 100000 |
      | 0      |

  @pure @S6
  Scenario: S6 the tail does not start with a result
    Given the history
      | user      | q          |
      | call c1   | shell::run |
      | result c1 | ~1000      |
      | assistant | r          |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 100, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 3    |
    And the summariser was called 1 time

  @pure @S7
  Scenario: S7 turns that a call holds together travel together
    Given the history
      | user      | ~2000      |
      | assistant | r0         |
      | user      | q1         |
      | call c1   | shell::run |
      | json      | {"role":"user","content":[{"type":"text","text":"q2"},{"type":"function_result","function_call_id":"c1","content":[{"type":"text","text":"inline result"}]}]} |
      | assistant | r2         |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 0, "tail_turns": 1}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S8
  Scenario: S8 the newest turn stays whole although nothing of it fits
    Given the history
      | user      | ~100 |
      | assistant | r1   |
      | user      | ~100 |
      | assistant | r2   |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 0}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S9
  Scenario: S9 with its calls and results
    Given the history
      | user      | ~100       |
      | assistant | r1         |
      | user      | q2         |
      | call c1   | shell::run |
      | result c1 | ~1000      |
      | assistant | r2         |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 0, "tail_turns": 2}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time

  @pure @S10
  Scenario: S10 without a user message everything is summarised
    Given the history
      | call c1   | shell::run |
      | result c1 | ~1000      |
      | assistant | r1         |
    When compact is called
    Then the answer has
      | status           | "ok" |
      | tail_start_index | null |
      | tokens_before    | 1127 |
    And the summariser was called 1 time

  @pure @S11
  Scenario Outline: S11 a turn that does not fit is cut inside, and older turns are not looked at: <budget>
    Given the history
      | user      | q1    |
      | assistant | r1    |
      | user      | ~1000 |
      | assistant | ~500  |
      | assistant | ~100  |
      | user      | q3    |
      | assistant | r3    |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": <budget>, "tail_turns": 3}}
      """
    Then the answer has
      | status           | "ok"   |
      | tail_start_index | <tail> |
    And the summariser was called 1 time

    Examples:
      | budget | tail |
      | 1769   | 1    |
      | 1768   | 2    |
      | 1735   | 2    |
      | 1734   | 3    |
      | 718    | 3    |
      | 717    | 4    |
      | 185    | 4    |
      | 184    | 5    |

  @pure @S12
  Scenario: S12 a tail that would be everything gives way to the newest turn
    Given the history
      | user      | ~100 |
      | assistant | r1   |
      | user      | q2   |
      | assistant | r2   |
    When compact is called with
      """
      {"options": {"preserve_recent_tokens": 100000}}
      """
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 2    |
    And the summariser was called 1 time
