Feature: context::prune replaces old function outputs by placeholders

  Background:
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~2000      |
      | assistant | found it   |
      | user      | then this  |
      | user      | and this   |

  @pure @P1 @P10 @P12
  Scenario: P1 an old output becomes a placeholder that says how large it was
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 100, "min_free_tokens": 1, "max_output_chars": 100}}
      """
    Then the answer has
      | pruned_parts        | 1                                                            |
      | pruned_tokens       | 1992                                                         |
      | scanned_parts       | 1                                                            |
      | estimator           | "heuristic"                                                  |
      | messages            | 6 items                                                      |
      | messages[2].content | [{"type":"text","text":"[output pruned: was ~2000 tokens]"}] |
      | messages[2].details | {}                                                           |
    And the messages are the request's except 2

  @pure @P2
  Scenario: P2 a pass that would free too little changes nothing
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 100, "min_free_tokens": 5000, "max_output_chars": 100}}
      """
    Then the answer has
      | pruned_parts                | 0          |
      | pruned_tokens               | 0          |
      | scanned_parts               | 1          |
      | messages[2].content[0].text | 8000 bytes |
    And the messages are the request's

  @pure @P2
  Scenario: P2 what comes free is compared with the least wanted, net of the placeholder
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1992}}
      """
    Then the answer has
      | pruned_parts  | 1    |
      | pruned_tokens | 1992 |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1993}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | pruned_tokens | 0 |

  @pure @P3
  Scenario: P3 the output of a protected function is not even looked at
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1, "protected_functions": ["shell::run"]}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | scanned_parts | 0 |
    And the messages are the request's

  @pure @P4
  Scenario: P4 the newest outputs are left alone up to a number of tokens
    Given the history
      | user      | the task    |
      | call c1   | shell::run  |
      | result c1 | ~2000       |
      | assistant | found it    |
      | user      | then this   |
      | user      | and this    |
      | call c2   | coder::read |
      | result c2 | ~90         |
      | user      | one more    |
      | user      | and another |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 100, "min_free_tokens": 1, "max_output_chars": 100}}
      """
    Then the answer has
      | pruned_parts                | 1                                   |
      | scanned_parts               | 2                                   |
      | messages[7].content[0].text | 360 bytes                           |
      | messages[2].content[0].text | "[output pruned: was ~2000 tokens]" |

  @pure @P5
  Scenario: P5 a short output stays
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | value=42   |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1, "max_output_chars": 100}}
      """
    Then the answer has
      | pruned_parts                | 0          |
      | scanned_parts               | 1          |
      | messages[2].content[0].text | "value=42" |

  @pure @P5
  Scenario Outline: P5 an output of 400 bytes and a limit of <limit>: <parts> replaced
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~100       |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1, "max_output_chars": <limit>}}
      """
    Then the answer has
      | pruned_parts | <parts> |

    Examples:
      | limit | parts |
      | 399   | 1     |
      | 400   | 0     |

  @pure @P6
  Scenario: P6 nothing after the second last user turn is looked at
    Given the history
      | user      | the task   |
      | user      | then this  |
      | call c1   | shell::run |
      | result c1 | ~3000      |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1}}
      """
    Then the answer has
      | pruned_parts                | 0           |
      | scanned_parts               | 0           |
      | messages[3].content[0].text | 12000 bytes |

  @pure @P6
  Scenario: P6 the turn before the last one is open as well
    Given the history
      | user      | the task   |
      | user      | then this  |
      | call c1   | shell::run |
      | result c1 | ~3000      |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | scanned_parts | 0 |
    And the messages are the request's

  @pure @P7
  Scenario: P7 pruning what was pruned changes nothing
    Given the request has
      """
      {"options": {"protect_recent_tokens": 100, "min_free_tokens": 1, "max_output_chars": 100}}
      """
    When prune is called
    Then the answer has
      | pruned_parts | 1 |
    Given the history is what came back
    When prune is called again
    Then the answer has
      | pruned_parts  | 0 |
      | pruned_tokens | 0 |
      | scanned_parts | 1 |
    And the messages are the request's

  @pure @P7
  Scenario: P7 a placeholder longer than the limit for outputs stays as it is
    Given the request has
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 0, "max_output_chars": 8}}
      """
    When prune is called
    Given the history is what came back
    When prune is called again
    Then the answer has
      | pruned_parts                | 0                                   |
      | pruned_tokens               | 0                                   |
      | messages[2].content[0].text | "[output pruned: was ~2000 tokens]" |

  @pure @P8 @P10
  Scenario: P8 several outputs are replaced and no message is lost
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | call c2   | shell::run |
      | result c2 | ~5000      |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1, "max_output_chars": 0}}
      """
    Then the answer has
      | pruned_parts                 | 2    |
      | pruned_tokens                | 9984 |
      | messages[2].function_call_id | "c1" |
      | messages[4].function_call_id | "c2" |
    And the messages are the request's except 2, 4

  @pure @P9
  Scenario: P9 the protected window is filled from the newest output, its edge included
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~1000      |
      | call c2   | shell::run |
      | result c2 | ~1000      |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 1000, "min_free_tokens": 1, "max_output_chars": 0}}
      """
    Then the answer has
      | pruned_parts                | 1                                   |
      | scanned_parts               | 2                                   |
      | messages[2].content[0].text | "[output pruned: was ~1000 tokens]" |
      | messages[4].content[0].text | 4000 bytes                          |

  @pure @P10
  Scenario Outline: P10 replacing an output of <size> tokens frees <freed>
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~<size>    |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1}}
      """
    Then the answer has
      | pruned_tokens               | <freed>                               |
      | messages[2].content[0].text | "[output pruned: was ~<size> tokens]" |

    Examples:
      | size | freed |
      | 2000 | 1992  |
      | 3000 | 2992  |
      | 5000 | 4992  |

  @pure @P11
  Scenario: P11 an output without text is looked at and never replaced
    Given the history
      | user            | the task   |
      | call c1         | shell::run |
      | result image c1 | 40000      |
      | user            | then this  |
      | user            | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 0, "max_output_chars": 0}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | scanned_parts | 1 |
    And the messages are the request's

  @pure @P12
  Scenario: P12 the placeholder is the whole content, and the rest of the message survives
    Given the history
      | user    | the task   |
      | call c1 | shell::run |
      | json    | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[{"type":"text","text":"0123456789012345678901234567890123456789"},{"type":"image","mime":"image/png","data":"AAAA"}],"details":{"exit":1},"is_error":true,"timestamp":77,"trace":"kept"} |
      | user    | then this  |
      | user    | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1, "max_output_chars": 0}}
      """
    Then the answer has
      | pruned_parts | 1 |
      | messages[2]  | {"role":"function_result","function_call_id":"c1","function_id":"shell::run","content":[{"type":"text","text":"[output pruned: was ~10 tokens]"}],"details":{"exit":1},"is_error":true,"timestamp":77,"trace":"kept"} |

  @pure @P13
  Scenario: P13 a single open turn is never looked into
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~3000      |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | scanned_parts | 0 |
    And the messages are the request's

  @pure @P14
  Scenario: P14 a user message of function results alone is no turn
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~5000      |
      | call c2   | shell::run |
      | inline c2 |            |
      | call c3   | shell::run |
      | inline c3 | ~5000      |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 1}}
      """
    Then the answer has
      | pruned_parts  | 0 |
      | scanned_parts | 0 |
    And the messages are the request's

  @pure @P14
  Scenario: P14 inline results are never replaced
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | inline c1 | ~5000      |
      | user      | then this  |
      | user      | and this   |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 0, "min_free_tokens": 0, "max_output_chars": 0}}
      """
    Then the answer has
      | pruned_parts                           | 0           |
      | scanned_parts                          | 0           |
      | messages[2].content[0].content[0].text | 20000 bytes |

  @pure @P1
  Scenario: P1 the shipped thresholds hold when a request names none
    Given the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~20009     |
      | call c2   | shell::run |
      | result c2 | ~40000     |
      | user      | then this  |
      | user      | and this   |
    When prune is called
    Then the answer has
      | pruned_parts  | 1     |
      | pruned_tokens | 20001 |
      | scanned_parts | 2     |
