import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import en from '../src/i18n/en/problems';
import zh from '../src/i18n/zh/problems';
import { sayer } from '../src/shared/problem_words';

type Sentences = Record<string, Record<string, string>>;

// What the server says, an example for each sentence and each part of one.
const examples = readFileSync('tests/problems.txt', 'utf8').trimEnd().split('\n');
const inEnglish = sayer(en, en);
const inChinese = sayer(en, zh);

function textsOf(sentences: Sentences): [string, string][] {
  return Object.entries(sentences).flatMap(([area, texts]) => Object.entries(texts).map(([name, text]): [string, string] => [`${area}.${name}`, text]));
}

// What is the same in each language: values, quoted words, JSON, and words with a mark, a digit or capitals only.
const code = /\{\{\w+\}\}|“[^”]*”|\{".*?\}|\["[^\]]*\]|[\w@/-]*[._/:@\d-][\w./:@#()-]*|\b[A-Z]+\b/g;
const fields = /\b(?:after|all|broadcast|context|dates|defaults|error|executions|icalendar|label|labels|origins|owner|project|routing|service|task|weekly|yearly)\b/g;
const names = /\b(?:crontab|exponential|false|gpu|iCalendar|jan|dec|localhost|mon|tue|wed|thu|fri|sat|sun|months|weeks|years|previous|quartz|team|true|wait|web|ETag|Host|MiB)\b/g;

describe('refusals of the server', () => {
  it('are known, each by an example', () => {
    const met = new Set<string>();
    for (const text of examples) expect(inEnglish(text, undefined, (key) => met.add(key)), text).toBe(text);
    expect(textsOf(en).map(([key]) => key).filter((key) => !met.has(key))).toEqual([]);
  });
  it('have Chinese words for all but names and values', () => {
    for (const [key, text] of textsOf(zh)) {
      const rest = text.replace(code, '').replace(names, '').replace(fields, '');
      expect(rest, key).not.toMatch(/[A-Za-z]{2,}/);
      expect(rest, key).toMatch(/\p{Script=Han}/u);
    }
  });
  it('keep their values in Chinese', () => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
    const chinese = new Map(textsOf(zh));
    for (const [key, text] of textsOf(en)) expect(valuesOf(chinese.get(key) ?? ''), key).toEqual(valuesOf(text));
  });
  it('are said in Chinese with all their parts', () => {
    const left: string[] = [];
    for (const text of examples) {
      // What waits is told by a sentence that is known elsewhere.
      inChinese(text, (unknown) => { if (!/^\d\d:\d\d$/.test(unknown)) left.push(unknown); return unknown; });
      expect(inChinese(text), text).not.toContain('{{');
    }
    expect(left).toEqual(["service 'billing' is paused: moves (by ann)"]);
  });
  it('stay as they are if they are not known', () => {
    expect(inChinese('the disk is full')).toBe('the disk is full');
    expect(inChinese('the disk is full', (text) => `${text}!`)).toBe('the disk is full!');
  });
  it('name the place in an expression, and a default that a task has taken', () => {
    expect(inChinese("day of week (column 9): 'monday' is not a number or a weekday's name (sun to sat); write for example 'mon-fri'"))
      .toBe('“星期”字段（第 9 列）：“monday”不是数字或星期名称（sun 到 sat）；例如可写“mon-fri”');
    expect(inChinese("'Mars/Olympus' is not a time zone; write an IANA name such as Europe/Berlin or UTC; its zone is the default of project 'shop': give the task a value of its own"))
      .toBe('“Mars/Olympus”不是时区；请写 IANA 名称，例如 Europe/Berlin 或 UTC；其 zone 取自项目“shop”的默认值：请为任务单独设置该值');
    expect(inChinese('on 2027-03-28 the clock of Europe/Berlin skips 02:10 and 02:30: fires 60 minutes later, from 03:10 on'))
      .toBe('Europe/Berlin 的时钟在 2027-03-28 跳过 02:10 和 02:30：推迟 60 分钟，自 03:10 起触发');
  });
});
