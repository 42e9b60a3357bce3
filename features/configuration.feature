Feature: Settings come from the engine and take effect at once

  Background:
    Given the inline model 100000/0
    And an empty history

  @engine @F5 @F6
  Scenario: F5 the engine tells the worker that the settings changed
    When assemble is called
    Then the answer has
      | usable | 90000 |
    When somebody stores the settings
      """
      {"reserved_pct": 20}
      """
    Then in the end assemble answers
      | usable | 80000 |
    When somebody stores the settings
      """
      {"reserved_pct": 50, "reserved_tokens_cap": 30000}
      """
    Then in the end assemble answers
      | usable | 70000 |

  @engine @F2
  Scenario Outline: F2 stored settings that say nothing are the shipped ones: <stored>
    When somebody stores the settings
      """
      {"reserved_pct": 20}
      """
    Then in the end assemble answers
      | usable | 80000 |
    When somebody stores the settings
      """
      <stored>
      """
    Then in the end assemble answers
      | usable | <usable> |

    Examples:
      | stored                               | usable |
      | {}                                   | 90000  |
      | {"tail_truns": 3}                    | 90000  |
      | {"tail_truns": 3, "reserved_pct": 5} | 95000  |

  @engine @F5
  Scenario: F5 a nudge is answered when the settings have been read, whatever it says
    When on-config-change is called with exactly
      """
      {"id": "something else", "value": {"reserved_pct": 99}}
      """
    Then the answer is
      """
      {"ok": true}
      """
    When assemble is called
    Then the answer has
      | usable | 90000 |

  @pure @F1
  Scenario: F1 the shipped reserve is a tenth, at most 20000 tokens
    When assemble is called
    Then the answer has
      | usable | 90000 |
    Given the inline model 1000000/0
    When assemble is called
    Then the answer has
      | usable | 980000 |

  @pure @F6
  Scenario: F6 what a request asks for wins over the settings
    Given the settings
      | protect_recent_tokens | 0   |
      | min_free_tokens       | 1   |
      | max_output_chars      | 100 |
    And the history
      | user      | the task   |
      | call c1   | shell::run |
      | result c1 | ~2000      |
      | user      | then this  |
      | user      | and this   |
    When prune is called
    Then the answer has
      | pruned_tokens | 1992 |
    When prune is called with
      """
      {"options": {"min_free_tokens": 1993}}
      """
    Then the answer has
      | pruned_tokens | 0 |
    When prune is called with
      """
      {"options": {"protect_recent_tokens": 2000}}
      """
    Then the answer has
      | pruned_tokens | 0 |
    When prune is called with
      """
      {"options": {"max_output_chars": 8000}}
      """
    Then the answer has
      | pruned_tokens | 0 |

  @pure @F6
  Scenario Outline: F6 the settings of a compaction: <setting> of <value>
    Given the model big
    And the settings
      | <setting> | <value> |
    And the history
      | user      | ~9000 |
      | assistant | r1    |
      | user      | q2    |
      | assistant | r2    |
      | user      | q3    |
    When compact is called with
      """
      {"options": {<option>}}
      """
    Then the answer has
      | status           | "ok"   |
      | tail_start_index | <tail> |
    And the summariser was called 1 time

    Examples:
      | setting    | value | option          | tail |
      | tail_turns | 1     |                 | 4    |
      | tail_turns | 1     | "tail_turns": 2 | 2    |
      | tail_turns | 0     |                 | null |

  @pure @N7
  Scenario: N7 a flat price for images keeps a screenshot from filling the window
    Given the inline model 120000/8000
    And the history
      | user            | what is on the screen |
      | call c1         | browser::screenshot   |
      | result image c1 | 729420                |
      | assistant       | a login form          |
      | user            | and now               |
    When assemble is called with
      """
      {"options": {"reserved_tokens": 4992, "heuristic_image_tokens": 4096}}
      """
    Then the answer has
      | usable            | 107008  |
      | token_count       | <= 5000 |
      | applied.pruned    | false   |
      | applied.compacted | false   |
    And the messages are the request's
    And the summariser was called 0 times

  @pure @N7
  Scenario: N7 the price may be a setting
    Given the settings
      | heuristic_image_tokens | 4096 |
    And the history
      | user image | 729420 |
    When count-tokens is called
    Then the answer has
      | tokens | 4118 |
    When count-tokens is called with
      """
      {"options": {"heuristic_image_tokens": 0}}
      """
    Then the answer has
      | tokens | 182377 |
