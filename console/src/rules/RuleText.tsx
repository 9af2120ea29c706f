import { Popover, Text, Textarea, type TextareaProps, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { countOf } from '../lib/format.js';
import { type CompletionOption, completed, completionAt } from '../lib/rule-completion.js';

type Props = Omit<TextareaProps, 'value' | 'onChange'> & {
  value: string;
  /** What can be written, with what it means. */
  choices: ReadonlyMap<string, string>;
  onChange: (rule: string) => void;
};

/** None is chosen yet: Enter begins a new line, and Tab leaves the field. */
const NONE = -1;
/** These keys move the caret away from the word. */
const LEAVING = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];

/**
 * The text of a rule. While a name is typed, a list below offers what it may become; Ctrl and space brings it back.
 *
 *   typing ──► list ──arrow keys──► one of them ──Enter, Tab──► written
 *                └──Escape, another place──► no list
 *
 * HTML allows no role but `textbox` for a field of several lines. So the field names the list and the chosen option, as a
 * combobox does, without that role.
 */
export function RuleText({ value, choices, onChange, ...field }: Props) {
  const id = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const [isWanted, setWanted] = useState(false);
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(NONE);
  /** React puts the caret to the end of a text that a program has changed. */
  const nextCaret = useRef<number | null>(null);
  const completion = isWanted && !field.readOnly ? completionAt(value, caret, choices) : undefined;
  const options = completion?.options ?? [];
  const isOpen = options.length > 0;
  const optionId = (index: number) => `${id}-${index}`;

  useLayoutEffect(() => {
    if (nextCaret.current === null || input.current?.value !== value) return;
    input.current.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  }, [value]);

  const look = (element: HTMLTextAreaElement) => {
    setCaret(element.selectionStart);
    setChosen(NONE);
    setWanted(true);
  };
  const write = (option: CompletionOption | undefined) => {
    if (completion === undefined || option === undefined) return;
    const next = completed(value, completion, option);
    nextCaret.current = next.caret;
    setWanted(false);
    onChange(next.rule);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === ' ' && event.ctrlKey) look(event.currentTarget);
    else if (LEAVING.includes(event.key)) return setWanted(false);
    else if (!isOpen) return;
    else if (event.key === 'Escape') setWanted(false);
    else if (event.key === 'ArrowDown') setChosen((chosen + 1) % options.length);
    else if (event.key === 'ArrowUp') setChosen((chosen <= 0 ? options.length : chosen) - 1);
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== NONE) write(options[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Popover
      opened={isOpen}
      position="bottom-start"
      width="target"
      withRoles={false}
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Textarea
          {...field}
          ref={input}
          value={value}
          autosize
          minRows={2}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'mono' }}
          onChange={({ currentTarget }) => {
            look(currentTarget);
            onChange(currentTarget.value);
          }}
          onKeyDown={onKeyDown}
          onClick={() => setWanted(false)}
          onBlur={() => setWanted(false)}
          aria-autocomplete="list"
          // Escape closes the list first, and the panel around the field only without a list.
          data-mantine-stop-propagation={isOpen}
          {...(isOpen ? { 'aria-controls': id } : {})}
          {...(isOpen && chosen !== NONE ? { 'aria-activedescendant': optionId(chosen) } : {})}
        />
      </Popover.Target>
      <VisuallyHidden role="status">
        {isOpen && `${countOf(options.length, 'choice')}: the arrow keys go to them.`}
      </VisuallyHidden>
      <Popover.Dropdown p={4}>
        <div role="listbox" id={id} aria-label="Names for the rule">
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the chosen option
            <div
              key={option.text}
              id={optionId(index)}
              role="option"
              aria-selected={index === chosen}
              className="rule-option"
              // Before the field loses the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                write(option);
              }}
            >
              <span className="mono">{option.text}</span>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {option.description}
              </Text>
            </div>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
