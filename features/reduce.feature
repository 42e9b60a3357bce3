Feature: The last resort turns results into references

  Background:
    Given the request has
      """
      {"options": {"allow_prune": false, "allow_compaction": false, "reserved_tokens": 0}}
      """

  @pure @R1
  Scenario: R1 the largest result goes first, and no more than is needed
    Given the inline model 16200/0
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~1000      |
      | call c2   | shell::run |
      | result c2 | ~10000     |
      | call c3   | shell::run |
      | result c3 | ~5000      |
    When assemble is called
    Then the answer has
      | applied.initial_token_count | 16298 |
      | messages[4].details.context_reference.original_estimated_tokens | 10041 |
    And the messages are the request's except 4
    And the summariser was called 0 times

  @pure @R1
  Scenario: R1 of equal results the older goes first, and none is exempt
    Given the inline model 6400/0
    And the request has
      """
      {"options": {"protected_functions": ["shell::run"]}}
      """
    And the history
      | user      | the task   |                    |
      | call c1   | shell::run |                    |
      | result c1 | ~3000      | {"is_error": true} |
      | call c2   | shell::run |                    |
      | result c2 | ~3000      | {"is_error": true} |
      | call c3   | shell::run |                    |
      | result c3 | ~1000      |                    |
    When assemble is called
    Then the answer has
      | messages[2].is_error        | true                                                        |
      | messages[2].content[0].text | starts with "[function result reduced for context budget] " |
    And the messages are the request's except 2
    And the summariser was called 0 times

  @pure @R2
  Scenario: R2 a reference is not reduced again, nor is what would not shrink
    Given the inline model 500/0
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | call c2   | shell::run |
      | result c2 | ~50        |
    When assemble is called
    Then the answer has
      | token_count | <= 500 |
    And the messages are the request's except 2
    Given the history is what came back
    And the inline model 300/0
    When assemble is called again
    Then the call fails with "context/overflow: assembled context requires "
    And the error contains "tried: prune off, compaction disabled, reduce 0)"
    And the summariser was called 0 times

  @pure @R3 @R4 @R5 @R6
  Scenario: R3 what a reference says and what survives
    Given the inline model 500/0
    And the history
      | user    | the task   |
      | call c1 | shell::run |
      | json    | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[{"type":"text","text":"~1000"},{"type":"image","mime":"image/png","data":"~100"}],"details":{"exit":1},"is_error":true,"timestamp":77,"trace":"kept"} |
    When assemble is called
    Then the answer has
      | messages[2].role             | "function_result" |
      | messages[2].function_call_id | "c1"              |
      | messages[2].function_id      | "shell::run"      |
      | messages[2].is_error         | true              |
      | messages[2].timestamp        | 77                |
      | messages[2].trace            | "kept"            |
      | messages[2].content          | 1 items           |
      | messages[2].details          | {"context_reference":{"kind":"function_result_reference","function_id":"shell::run","function_call_id":"c1","original_bytes":4613,"original_estimated_tokens":1151,"sha256":"4885fae4b04f2ac59227da7d77e54e13e7ef3a527283d5fd38f6bba0842b9b02","preview":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…","retrieval_hint":"The original result remains in the session transcript; retrieve it by function_call_id."}} |
    And the reference in message 2 is the same in its text and its details
    And the summariser was called 0 times

  @pure @R6
  Scenario: R6 the preview counts characters, and a whole text has no ellipsis
    Given the inline model 300/0
    And the history
      | user    | the task   |
      | call c1 | shell::run |
      | json    | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[{"type":"text","text":"🙂é🙂"},{"type":"image","mime":"image/png","data":"~1000"}],"details":{},"is_error":false} |
    When assemble is called
    Then the answer has
      | messages[2].details.context_reference.preview | "🙂é🙂" |
    And the summariser was called 0 times

  @pure @R6
  Scenario: R6 without text the preview shows the details
    Given the inline model 300/0
    And the history
      | user    | the task   |
      | call c1 | shell::run |
      | json    | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[{"type":"image","mime":"image/png","data":"~1000"}],"details":{"path":"a.png"},"is_error":false} |
    When assemble is called
    Then the answer has
      | messages[2].details.context_reference.preview | "{\\"path\\":\\"a.png\\"}" |
    And the summariser was called 0 times

  @pure @R7
  Scenario: R7 two large halves become one small message
    Given the inline model 1000/0
    And the history
      | user      | the task   |                                   |
      | call c1   | shell::run |                                   |
      | result c1 | ~175000    | {"details": {"again": "~175000"}} |
    When assemble is called
    Then the answer has
      | token_count                 | 256            |
      | messages[2].content[0].text | 549 characters |
    And message 2 is less than 2000 bytes
    And the summariser was called 0 times

  @pure @R8
  Scenario: R8 what pruning freed and what references freed is one sum
    Given the inline model 5700/0
    And the settings
      | protect_recent_tokens | 0 |
      | min_free_tokens       | 1 |
    And the request has
      """
      {"options": {"allow_prune": true}}
      """
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~2000      |
      | user      | then this  |
      | user      | and this   |
      | call c2   | shell::run |
      | result c2 | ~6000      |
    When assemble is called
    Then the answer has
      | applied.initial_token_count | 8243                                |
      | applied.pruned              | true                                |
      | applied.pruned_tokens       | 7849                                |
      | messages[2].content[0].text | "[output pruned: was ~2000 tokens]" |
      | messages[6].details.context_reference.original_estimated_tokens | 6041                                |
    And the messages are the request's except 2, 6
    And the summariser was called 0 times

  @pure @R9
  Scenario: R9 inline results are not reduced
    Given the inline model 1000/0
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | inline c1 | ~5000      |
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 5"
    And the error contains "compaction disabled, reduce 0)"
    And the summariser was called 0 times
