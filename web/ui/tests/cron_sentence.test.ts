import { readFileSync } from 'node:fs';
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { cronSentence } from '../src/features/tasks/form/cron_sentence';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';

beforeAll(() => i18next.init({ lng: 'zh', fallbackLng: false, resources: { zh, en }, interpolation: { escapeValue: false } }));

const inLanguage = (lng: string) => (description: string) => cronSentence(`${description} in UTC, before 2030-01-01T00:00:00Z, not in 'days in UTC'`, 'UTC', { say: (key, values) => i18next.t(`taskForm:cron_words.${key}`, { ...values, lng }), day: (day) => i18next.t(`taskForm:day.${day}`, { lng }) });
const chinese = inLanguage('zh');

/** Expressions and their descriptions as the server's own tests have them. */
function described(path: string, pattern: RegExp): [string, string][] {
  return [...readFileSync(`../../tests/unit/schedule/${path}`, 'utf8').matchAll(pattern)].map(([, expression = '', meaning = '']) => [expression, meaning]);
}
const crontab = described('describe_test.cpp', /\{"([^"]+)",\s*"([^"]+)"\}/g);
const quartz = described('cron_quartz_test.cpp', /description\("([^"]+)"\) ==\s*"([^"]+)"/g);

describe('a cron expression in Chinese', () => {
  it('has words for each description that the tests of the server know', () => {
    expect([crontab.length > 35, quartz.length > 6]).toEqual([true, true]);
    for (const [expression, meaning] of [...crontab, ...quartz]) expect(chinese(meaning), `${expression}: ${meaning}`).toMatch(/^[^A-Za-z{}]+$/);
  });
  it('says what the description says', () => {
    const meanings = new Map([...crontab, ...quartz]);
    const said = (expression: string) => chinese(meanings.get(expression) ?? '');
    const expected: Record<string, string> = {
      '* * * * *': '每分钟',
      '@hourly': '每小时整点',
      '5,35 * * * *': '每小时的第 5 分、第 35 分',
      '15 */2 * * *': '每 2 小时的第 15 分',
      '0 9,17 * * 1-5': '每周一至周五 09:00、17:00',
      '*/10 9-17 * * mon-fri': '每周一至周五 09:00 至 17:59，每 10 分钟',
      '0 9-17 * * *': '09:00 至 17:00，每小时整点',
      '* 2,4 * * *': '2 点、4 点的各小时内，每分钟',
      '7,8 8-18 * * 3': '每周三 08:00 至 18:59，每小时的第 7 分、第 8 分',
      '0 0 1,15 * *': '每月1日、15日 00:00',
      '0 0 13 * fri': '每月13日以及每月的周五 00:00',
      '0 0 13 6 fri': '6月13日以及6月的周五 00:00',
      '0 0 13 * */7': '每月13日（仅限周日） 00:00',
      '0 0 * 6-8 *': '6月至8月每天 00:00',
      '0 0 * 6-8 sat,sun': '6月至8月的周日、周六 00:00',
      '*/20 15 * * * *': '每小时的第 15 分，每 20 秒',
      '30 15 4 * * *': '每天 04:15:30',
      '0 0 2 L-3 * ?': '每月倒数第 4 天 02:00',
      '0 0 2 15W 3 ?': '3月离15日最近的工作日（周一至周五） 02:00',
      '0 0 2 ? * 6#3': '每月第三个周五 02:00',
      '0 0 2 ? * 6L 2027-2029': '2027年至2029年 每月最后一个周五 02:00',
    };
    for (const [expression, words] of Object.entries(expected)) expect(said(expression), expression).toBe(words);
  });
  it('has none for other descriptions', () => {
    for (const other of ['', 'every now and then', 'at 02:00 every day, and more', 'every 5 minutes on the moon', 'at 02:00 on a Monday', 'at 02:00 on Christmas', 'at minutes 1 to 3 and 5 to 7 of every hour']) expect(chinese(other), other).toBeUndefined();
    expect(cronSentence('at 02:00 every day', 'UTC', { say: String, day: String })).toBeUndefined();
  });
});
