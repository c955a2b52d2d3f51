import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { Box, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { jsonColours, jsonFrame } from './json_colours';
import { nonce } from './nonce';
import type { JsonProps } from './JsonField';
import classes from './JsonEditor.module.css';

export default function JsonEditor({ label, value, onChange }: JsonProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  const fixed = onChange === undefined;

  useEffect(() => {
    if (!place.current) return;
    // Tab leaves the editor, so that the keyboard reaches what follows.
    const editing = fixed ? [EditorState.readOnly.of(true)] : [history(), keymap.of([...defaultKeymap, ...historyKeymap]), linter(jsonParseLinter())];
    view.current = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          json(), bracketMatching(), syntaxHighlighting(jsonColours), jsonFrame, EditorView.lineWrapping,
          EditorView.cspNonce.of(nonce()), EditorView.contentAttributes.of({ 'aria-label': label }), ...editing,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.current?.destroy();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the text of later renders is taken over below
  }, [fixed, label]);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return (
    <Box>
      <Text size="sm" fw={500} mb={4}>{label}</Text>
      <div ref={place} className={classes.editor} />
    </Box>
  );
}
