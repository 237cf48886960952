import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSheets, parseSheets, scoreAnswers } from "../../../assets/learn/score.js";

test("a line is a word, the answers before and the answers after", () => {
  const { sheets, wrong } = parseSheets("river abD cba\n\n  stone - AA-\n", 3);
  assert.equal(wrong, null);
  assert.deepEqual(sheets, [
    { before: [0, 1, 3], after: [2, 1, 0] },
    { before: null, after: [0, 0, null] },
  ]);
  assert.equal(formatSheets(sheets), "1 ABD CBA\n2 - AA-\n");
  assert.deepEqual(parseSheets(formatSheets(sheets), 3).sheets, sheets);
});

test("a line that cannot be read is named, and those before it count", () => {
  for (const line of ["river ABC", "river ABE ABC", "river AB ABC", "river ABC ABC ABC"])
    assert.deepEqual(parseSheets(`a AAA BBB\n${line}`, 3), { sheets: parseSheets("a AAA BBB", 3).sheets, wrong: line });
});

test("right answers are counted before and after, and who changed among those who gave both sheets", () => {
  const { sheets } = parseSheets("a DA BA\nb BA BA\nc AB -\nd - BA\ne BB BA", 2);
  const { questions, pairs } = scoreAnswers(sheets, [1, 0]);
  const counts = questions.map(({ before, after, gained, lost }) => [
    before.right,
    before.of,
    after.right,
    gained,
    lost,
  ]);
  assert.deepEqual(counts, [
    [2, 4, 4, 1, 0],
    [2, 4, 4, 1, 0],
  ]);
  assert.deepEqual([pairs.n, pairs.more, pairs.fewer, pairs.same], [3, 2, 0, 1]);
  assert.deepEqual([pairs.before, pairs.after, pairs.p], [4 / 3, 2, 0.5]);
  assert.ok(questions[0].before.low > 0 && questions[0].before.high < 1);
});

test("an answer that is missing is not right, and a class without pairs has no test", () => {
  const { questions, pairs } = scoreAnswers(parseSheets("a -B -", 2).sheets, [0, 1]);
  assert.deepEqual([questions[0].before.right, questions[1].before.right, questions[0].after.of], [0, 1, 0]);
  assert.deepEqual([pairs.n, pairs.p], [0, 1]);
});
