import { expect, test } from 'vitest'
import { pathFromName } from './paths.ts'

test.each([
  ['My Project', 'my-project'],
  ['--. Über_uns .--', 'uber_uns'],
  ['Café Ünï', 'cafe-uni'],
  ['a--b', 'a--b'],
  ['🦊', ''],
  ['-_.', ''],
])('the path of %s', (name, path) => expect(pathFromName(name)).toBe(path))

test('long runs of dashes take linear time', () => {
  const name = `a${'_'.repeat(1_000_000)}b`
  const start = performance.now()
  expect(pathFromName(name)).toBe(name)
  // A backtracking regular expression takes many minutes.
  expect(performance.now() - start).toBeLessThan(10_000)
})
