Feature: Only one compaction of a conversation runs at a time

  Background:
    Given the model big
    And the history
      | user | ~9000 |
      | user | q2    |
      | user | q3    |

  @pure @L1
  Scenario: L1 a claim of somebody else makes the call busy
    Given a foreign claim on the default key, 0 ms old
    When compact is called
    Then the answer is
      """
      {"status": "busy", "reason": "lease_busy"}
      """
    And the summariser was called 0 times
    And the claim on the default key is still foreign

  @pure @L2
  Scenario: L2 a claim that is older than its time is taken over
    Given a foreign claim on the default key, 300001 ms old
    When compact is called
    Then the answer has
      | status           | "ok" |
      | tail_start_index | 1    |
    And the summariser was called 1 time
    And no claim is left

  @pure @L3
  Scenario: L3 one that is a moment younger is not
    Given a foreign claim on the default key, 299999 ms old
    When compact is called
    Then the answer has
      | status | "busy" |
    And the summariser was called 0 times
    And the claim on the default key is still foreign

  @pure @L3
  Scenario: L3 at exactly its time a claim is free
    Given a foreign claim on the default key, 300000 ms old
    When compact is called
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And no claim is left

  @pure @L4
  Scenario: L4 a key of the caller's own
    Given a foreign claim on "session-42", 0 ms old
    When compact is called with
      """
      {"options": {"lease_key": "session-42"}}
      """
    Then the answer has
      | status | "busy" |
    And the summariser was called 0 times
    And the claim on "session-42" is still foreign

  @pure @L5
  Scenario: L5 claims on other keys do not matter
    Given a foreign claim on "session-42", 0 ms old
    When compact is called with
      """
      {"options": {"lease_key": "session-43"}}
      """
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And the claim on "session-42" is still foreign
    And the claim files are
      | session-42.json |

  @pure @L6 @L11
  Scenario: L6 a claim stands while the summary is written and is gone afterwards
    Given while the summary is written the claim files are
      | session-42.json |
    When compact is called with
      """
      {"options": {"lease_key": "session-42"}}
      """
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And no claim is left

  @pure @L7
  Scenario: L7 without a store nobody compacts
    Given the lease directory cannot be used
    When compact is called
    Then the answer is
      """
      {"status": "busy", "reason": "lease_unavailable"}
      """
    And the summariser was called 0 times

  @pure @L8
  Scenario: L8 the default key is a hash of the messages
    Given the history
      | user | hello |
    And a foreign claim on "6d3bbbf3be536c2b20ab85b866f342ddba24db0c9e88e00a27be9b992283f63b", 0 ms old
    When compact is called
    Then the answer has
      | status | "busy" |
    And the summariser was called 0 times
    And the claim on the default key is still foreign

  @pure @L9 @L10
  Scenario: L9 a claim that was lost meanwhile is not released, and the summary is not used
    Given while the summary is written a foreign claim takes "session-42"
    When compact is called with
      """
      {"options": {"lease_key": "session-42"}}
      """
    Then the answer is
      """
      {"status": "busy", "reason": "lease_busy"}
      """
    And the summariser was called 1 time
    And the claim on "session-42" is still foreign

  @pure @L11 @L14
  Scenario: L14 a hostile key stays inside the directory
    Given while the summary is written the claim files are
      | ..%2Fescape%2Fkey%20%C3%A9.json |
    When compact is called with
      """
      {"options": {"lease_key": "../escape/key é"}}
      """
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And no claim is left

  @pure @L12
  Scenario: L12 a claim from before a restart still holds
    Given the claim file "..%2Fescape.json" holds
      """
      {"nonce": "foreign-holder", "ts": 9000000000000000}
      """
    When compact is called with
      """
      {"options": {"lease_key": "../escape"}}
      """
    Then the answer has
      | status | "busy" |
    And the summariser was called 0 times
    And the claim on "../escape" is still foreign

  @pure @L13
  Scenario Outline: L13 a file that is no claim is free: <content>
    Given the claim file "session-42.json" holds
      """
      <content>
      """
    When compact is called with
      """
      {"options": {"lease_key": "session-42"}}
      """
    Then the answer has
      | status | "ok" |
    And the summariser was called 1 time
    And no claim is left

    Examples:
      | content                             |
      | {"nonce": "foreign-holder"          |
      | {"nonce": "foreign-holder"}         |
      | {"nonce": 7, "ts": 900000000000000} |
      | []                                  |
      |                                     |
