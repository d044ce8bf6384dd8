import { describe, expect, test } from 'vitest'
import { parseStorageKey, storageKey } from './index.ts'

describe('storage keys', () => {
  test('join their segments', () => {
    expect(storageKey('uploads', 17, 'avatar.png')).toBe('uploads/17/avatar.png')
    expect(parseStorageKey('blobs/sha256/ab/abcd')).toBe('blobs/sha256/ab/abcd')
  })

  test.each([
    ['nothing', ''],
    ['this folder', '.'],
    ['the folder above', '..'],
    ['a path', 'a/b'],
    ['an absolute path', '/etc/passwd'],
    ['a climb', '../../etc/passwd'],
    ['backslashes', '..\\..\\windows'],
    ['NUL', 'a\0b'],
    ['a line end', 'a\n'],
    ['a blank', ' '],
    ['percent encoding', '%2e%2e'],
    ['a letter that looks like another', 'а'],
    ['a full-width dot', '．．'],
    ['a wildcard', '*'],
    ['a drive', 'C:'],
    ['a name too long', 'a'.repeat(256)],
    ['a fraction', 1.5],
    ['a number that has lost digits', 1e21],
    ['what is no number', Number.NaN],
  ])('refuse %s in any segment', (_name, segment) => {
    expect(() => storageKey(segment)).toThrow(TypeError)
    expect(() => storageKey('a', segment, 'b')).toThrow(TypeError)
    expect(() => storageKey('a', segment)).toThrow(TypeError)
  })

  test('names that the store reserves are refused', () => {
    expect(() => storageKey('.writing', 'x')).toThrow(TypeError)
    expect(storageKey('a', '.writing')).toBe('a/.writing')
  })

  test('are at most 1,024 characters long', () => {
    const long = 'a'.repeat(255)
    expect(storageKey(long, long, long, long)).toHaveLength(1023)
    expect(() => storageKey(long, long, long, long, 'a')).toThrow(TypeError)
  })

  test.each(['', '/', 'a/', '/a', 'a//b', 'a/../b', '..', 'a/./b', '.writing/x'])('%j is not a stored key', (text) => {
    expect(() => parseStorageKey(text)).toThrow(TypeError)
  })

  test('an error shows a bounded, quoted part of the text', () => {
    expect(() => storageKey(`${'x'.repeat(5000)}\u001b[31m`)).toThrow(/^not a segment of a storage key: "x{80}"$/)
  })
})
