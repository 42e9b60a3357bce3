Feature: A conversation that is compacted again and again, over a real engine

  @engine @A7 @A17 @A18 @A19 @A20
  Scenario: A18 the second compaction brings the first one's summary up to date
    Given the model small
    And the history
      | user      | ~3000           |
      | assistant | r0              |
      | user      | ~3000           |
      | assistant | r1              |
      | user      | recent question |
      | assistant | recent answer   |
    And the request has
      """
      {"system_prompt": "Base prompt.", "options": {"lease_key": "session-42"}}
      """
    And the summariser first answers "FIRST-SUMMARY-A"
    And the summariser then answers "FIRST-SUMMARY-B"
    And the summariser then answers "SECOND-SUMMARY"
    When assemble is called
    Then the answer has
      | applied.compacted        | true              |
      | applied.summary          | "FIRST-SUMMARY-B" |
      | applied.tail_start_index | 3                 |
      | applied.tokens_before    | 6068              |
      | system_prompt            | "Base prompt.\\n\\n# Conversation summary\\n\\nFIRST-SUMMARY-B" |
      | token_count              | 104               |
    And the messages are the request's from 3
    And the summariser was called 2 times
    And the summariser calls have
      | [0].system | starts with "Create a new anchored summary" |
      | [1].system | contains "FIRST-SUMMARY-A"                  |

    # What came back is what goes out next: no summary is paid for.
    Given the history is what came back
    And the request has as previous summary what came back
    When assemble is called
    Then the answer has
      | applied.compacted | false |
      | token_count       | 104   |
      | system_prompt     | "Base prompt.\\n\\n# Conversation summary\\n\\nFIRST-SUMMARY-B" |
    And the messages are the request's
    And the summariser was called 2 times

    # The conversation goes on until it does not fit again.
    Given the history goes on
      | user      | ~3500 |
      | assistant | r3    |
      | user      | ~500  |
      | assistant | r4    |
      | user      | last  |
    When assemble is called
    Then the answer has
      | applied.compacted        | true             |
      | applied.summary          | "SECOND-SUMMARY" |
      | applied.tail_start_index | 5                |
      | system_prompt            | "Base prompt.\\n\\n# Conversation summary\\n\\nSECOND-SUMMARY" |
    And the messages are the request's from 5
    And the summariser was called 3 times
    And the summariser calls have
      | [2].system | starts with "Update the anchored summary" |
      | [2].system | contains "<previous-summary>\\nFIRST-SUMMARY-B\\n</previous-summary>" |
      | [2].user   | contains "recent question"                |
    And no claim is left
