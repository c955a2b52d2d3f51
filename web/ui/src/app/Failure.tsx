import { Component, type ReactNode } from 'react';
import { ErrorBox } from '@/shared/ErrorBox';

/** Keeps the shell when a page fails. A new `at` (the address) shows the page anew. */
export class Failure extends Component<{ at: string; children: ReactNode }, { error: unknown; at: string }> {
  override state = { error: undefined as unknown, at: this.props.at };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  static getDerivedStateFromProps(props: { at: string }, state: { error: unknown; at: string }) {
    return props.at === state.at ? null : { error: undefined, at: props.at };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <ErrorBox error={this.state.error} retry={() => this.setState({ error: undefined })} />;
  }
}
