import { sayer, type Say } from '@/shared/problem_words';
import en from './en/problems';
import zh from './zh/problems';

/** Why the server refuses something, which it tells in English only, in Chinese. */
const inChinese: Say = sayer(en, zh);
export default inChinese;
