import { describe, expect, test } from 'vitest'
import { parseCommandLine, projectPathOf } from './command-line.ts'

describe('a command line', () => {
  const wanted = { name: 'git-upload-pack', operands: ['g/p.git'] }
  test.each([
    "git-upload-pack 'g/p.git'",
    'git-upload-pack "g/p.git"',
    'git-upload-pack g/p.git',
    "git upload-pack 'g/p.git'",
    "  git   upload-pack   'g/p.git'  ",
    "'git-upload-pack' 'g/p.git'",
  ])('%s is parsed', (line) => {
    expect(parseCommandLine(line)).toEqual(wanted)
  })

  test('may have several operands, also empty ones', () => {
    expect(parseCommandLine("git-lfs-authenticate g/p.git download ''")).toEqual({
      name: 'git-lfs-authenticate',
      operands: ['g/p.git', 'download', ''],
    })
  })

  test.each([
    '',
    '   ',
    'git',
    "git-upload-pack 'g/p.git",
    'git-upload-pack "g/p.git',
    "git-upload-pack 'g/p.git'x",
    "git-upload-pack 'g/p'\\''.git'",
    'git-upload-pack g/p\\ q',
    'git-upload-pack "g/\\"p"',
    'git-upload-pack g/p.git\n',
    'git-upload-pack g/p.git\u0000',
    "git-upload-pack 'g\u007fp'",
    'git-upload-pack\tg/p.git',
  ])('%j is rejected', (line) => {
    expect(parseCommandLine(line)).toBeNull()
  })

  test('is plain text: characters special to a shell are part of a name', () => {
    expect(parseCommandLine('git-upload-pack $(id);`id`&&|>x')).toEqual({
      name: 'git-upload-pack',
      operands: ['$(id);`id`&&|>x'],
    })
  })

  test('is parsed in linear time', () => {
    const start = performance.now()
    for (const long of [
      "'".repeat(8_000),
      '"a" '.repeat(2_000),
      'a'.repeat(8_000),
      ' '.repeat(8_000),
      "'a'b".repeat(2_000),
    ]) {
      parseCommandLine(long)
    }
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

test.each([
  ['g/p.git', 'g/p'],
  ['/g/p.git', 'g/p'],
  ['/g/p', 'g/p'],
  ['g/h/p', 'g/h/p'],
  ['g/p.git.git', 'g/p.git'],
  ['//g/p.git', '/g/p'],
  ['/.git', null],
  ['', null],
  ['/', null],
])('the path %j is that of the project %j', (operand, path) => {
  expect(projectPathOf(operand)).toBe(path)
})
