Feature: context::assemble returns a context that fits

  @pure @A1 @A31
  Scenario: A1 what fits passes through
    Given the model big
    And the history
      | user      | hello    |
      | assistant | hi there |
    When assemble is called with
      """
      {"system_prompt": "You are helpful."}
      """
    Then the answer has
      | system_prompt               | "You are helpful." |
      | token_count                 | 57                 |
      | usable                      | 172000             |
      | effective_max_output_tokens | 8000               |
      | model_resolved              | "router"           |
      | applied                     | {"initial_token_count":57,"pruned":false,"pruned_tokens":0,"compacted":false} |
      | breakdown                   | {"system_prompt_tokens":4,"tools_tokens":0,"by_role":{"user":18,"assistant":35,"function_result":0,"custom":0},"estimator":"heuristic"} |
    And the messages are the request's
    And the summariser was called 0 times

  @pure @A2
  Scenario: A2 nothing is pruned while the context fits
    Given the model big
    And the settings
      | protect_recent_tokens | 0 |
      | min_free_tokens       | 1 |
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | user      | then this  |
      | user      | and this   |
    When assemble is called
    Then the answer has
      | applied.pruned              | false       |
      | token_count                 | 5150        |
      | messages[2].content[0].text | 20000 bytes |
    And the messages are the request's

  @pure @A3 @A31
  Scenario: A3 freeing old outputs is enough, so no summary is paid for
    Given the model small
    And the settings
      | protect_recent_tokens | 0 |
      | min_free_tokens       | 1 |
    And the history
      | user      | task       |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | assistant | ok         |
      | user      | u1         |
      | user      | u2         |
    When assemble is called
    Then the answer has
      | applied.initial_token_count | 5181                                |
      | applied.pruned              | true                                |
      | applied.pruned_tokens       | 4992                                |
      | applied.compacted           | false                               |
      | applied.summary             | absent                              |
      | applied.compaction_skipped  | absent                              |
      | token_count                 | 189                                 |
      | usable                      | 4000                                |
      | messages[2].content[0].text | "[output pruned: was ~5000 tokens]" |
    And the messages are the request's except 2
    And the summariser was called 0 times

  @pure @A4 @R3 @R4
  Scenario: A4 a huge newest result becomes a reference, whatever protects it
    Given the inline model 272000/128000
    And the settings
      | protect_recent_tokens | 2000000 |
      | min_free_tokens       | 2000000 |
    And the history
      | user            | why is it slow today |
      | call call-big   | engine::traces::list |
      | result call-big | ~1245000             |
    When assemble is called
    Then the answer has
      | usable                                                 | 124000                                                       |
      | applied.pruned                                         | true                                                         |
      | applied.compacted                                      | false                                                        |
      | token_count                                            | 272                                                          |
      | messages[2].content                                    | 1 items                                                      |
      | messages[2].content[0].text                            | 566 characters                                               |
      | messages[2].content[0].text                            | starts with "[function result reduced for context budget] {" |
      | messages[2].content[0].text                            | contains "session transcript"                                |
      | messages[2].details.context_reference.kind             | "function_result_reference"                                  |
      | messages[2].details.context_reference.function_id      | "engine::traces::list"                                       |
      | messages[2].details.context_reference.function_call_id | "call-big"                                                   |
      | messages[2].details.context_reference.original_estimated_tokens | 1245045                                                      |
      | messages[2].details.context_reference.original_bytes   | 4980178                                                      |
      | messages[2].details.context_reference.retrieval_hint   | "The original result remains in the session transcript; retrieve it by function_call_id." |
      | messages[2].function_call_id                           | "call-big"                                                   |
      | messages[2].is_error                                   | false                                                        |
    And the messages are the request's except 2
    And the summariser was called 0 times

  @pure @A5 @R8
  Scenario: A5 with pruning and compaction off, references still make it fit
    Given the model small
    And the history
      | user      | task       |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | assistant | ok         |
      | user      | u1         |
      | user      | u2         |
    When assemble is called with
      """
      {"options": {"allow_prune": false, "allow_compaction": false}}
      """
    Then the answer has
      | applied.pruned                    | true           |
      | applied.pruned_tokens             | 4857           |
      | applied.compacted                 | false          |
      | applied.compaction_skipped.reason | "disabled"     |
      | token_count                       | 324            |
      | messages[2].content[0].text       | 545 characters |
    And the messages are the request's except 2
    And the summariser was called 0 times

  @pure @A6
  Scenario: A6 the protection of a function yields when nothing else fits
    Given the model small
    And the settings
      | protect_recent_tokens | 0 |
      | min_free_tokens       | 1 |
    And the history
      | user      | task       |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | assistant | ok         |
      | user      | u1         |
      | user      | u2         |
    When assemble is called with
      """
      {"options": {"protected_functions": ["shell::run"], "allow_compaction": false}}
      """
    Then the answer has
      | applied.pruned              | true           |
      | applied.pruned_tokens       | 4857           |
      | token_count                 | 324            |
      | messages[2].content[0].text | 545 characters |
    And the messages are the request's except 2
    And the summariser was called 0 times

  @pure @A14
  Scenario: A14 tools count against the budget
    Given the model small
    And the history
      | user | hello |
    And the request has
      """
      {"options": {"reserved_tokens": 4350}, "tools": [{"name": "tool", "description": "~193", "parameters": {}}]}
      """
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 223 tokens but usable budget is 150 "
    And the error contains "tools 205, overhead 0"
    And the summariser was called 0 times

  @pure @A15
  Scenario: A15 so does what the caller will add
    Given the model small
    And the history
      | user | hello |
    When assemble is called with
      """
      {"options": {"reserved_tokens": 4300, "request_overhead_tokens": 500}}
      """
    Then the call fails with "context/overflow: assembled context requires 518 tokens but usable budget is 200 "
    When assemble is called with
      """
      {"options": {"reserved_tokens": 4300}}
      """
    Then the answer has
      | token_count | 18  |
      | usable      | 200 |
    And the summariser was called 0 times

  @pure @A16
  Scenario: A16 the output that is set aside cannot be used
    Given the inline model 5000/4400
    And the history
      | user | ~300 |
    When assemble is called
    Then the call fails with "context/overflow: assembled context requires 317 tokens but usable budget is 100 "
    And the summariser was called 0 times

  @pure @A21
  Scenario: A21 custom messages are left out and cost nothing
    Given the model small
    And the history
      | custom | ~10000 |
      | user   | hi     |
    When assemble is called
    Then the answer has
      | token_count      | 18      |
      | messages         | 1 items |
      | messages[0].role | "user"  |
      | applied          | {"initial_token_count":18,"pruned":false,"pruned_tokens":0,"compacted":false} |
    And the messages are the request's from 1
    And the summariser was called 0 times

  @pure @A21
  Scenario: A21 a history of custom messages alone is an empty context
    Given the model small
    And the history
      | custom | ~10000 |
    When assemble is called
    Then the answer has
      | token_count | 0  |
      | messages    | [] |

  @pure @A25
  Scenario Outline: A25 prompt <base> with the earlier summary <summary>
    Given the model small
    And the history
      | user | hello |
    When assemble is called with
      """
      {<members>}
      """
    Then the answer has
      | system_prompt | <prompt> |

    Examples:
      | base     | summary | members                              | prompt                                     |
      | none     | none    |                                      | ""                                         |
      | "Base."  | none    | "system_prompt": "Base."             | "Base."                                    |
      | "Base. " | none    | "system_prompt": "Base. \\n\\t "     | "Base."                                    |
      | " Base"  | S       | "system_prompt": " Base\\n", "options": {"previous_summary": "S"} | " Base\\n\\n# Conversation summary\\n\\nS" |
      | none     | S       | "options": {"previous_summary": "S"} | "# Conversation summary\\n\\nS"            |
      | "Base."  | blank   | "system_prompt": "Base.", "options": {"previous_summary": " \\n"} | "Base."                                    |

  @pure @A29
  Scenario: A29 limits in the request need no router at all
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
    And the router was asked for 0 models
