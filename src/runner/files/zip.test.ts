import { createWriteStream } from 'node:fs'
import { chmod, lstat, mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { temporaryDirectory, zipOf } from '../../testing/index.ts'
import { BadArchive, extractZip, writeZip } from './zip.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let [root, archive]: string[] = []
beforeEach(async () => {
  folder = await temporaryDirectory()
  root = join(folder.path, 'root')
  archive = join(folder.path, 'a.zip')
  await mkdir(root)
})
afterEach(() => folder[Symbol.asyncDispose]())

const { signal } = new AbortController()
const extract = () => extractZip(archive ?? '', root ?? '', signal)
const at = (...path: string[]) => join(root ?? '', ...path)

describe('an archive', () => {
  test('keeps contents, modes, links and empty folders', async () => {
    const source = join(folder.path, 'source')
    await mkdir(join(source, 'a', 'empty'), { recursive: true })
    await writeFile(join(source, 'a', 'ü b.txt'), 'text')
    await writeFile(join(source, 'run'), '#!/bin/sh')
    await chmod(join(source, 'run'), 0o4755)
    await symlink('a/ü b.txt', join(source, 'link'))
    const paths = ['a', 'a/empty', 'a/ü b.txt', 'gone', 'link', 'run']
    expect(await writeZip(archive ?? '', source, paths, signal)).toBe(5)
    expect(await extract()).toBe(5)
    expect(await readFile(at('a', 'ü b.txt'), 'utf8')).toBe('text')
    expect((await stat(at('a', 'empty'))).isDirectory()).toBe(true)
    // Bits of other users' rights are never set.
    expect((await stat(at('run'))).mode & 0o7700).toBe(0o700)
    expect(await readlink(at('link'))).toBe('a/ü b.txt')
  })

  test.each([
    '../outside',
    'a/../../outside',
    '/outside',
    'C:/outside',
    '..\\outside',
    '.git/hooks/post-checkout',
    'a//b',
    './a',
  ])('with the path %s is refused', async (path) => {
    await writeFile(archive ?? '', zipOf({ [path]: 'evil' }))
    await expect(extract()).rejects.toThrow(BadArchive)
    await expect(stat(join(folder.path, 'outside'))).rejects.toThrow('ENOENT')
  })

  test('writes through no link, of the project or of its own', async () => {
    const outside = join(folder.path, 'outside')
    await mkdir(outside)
    await symlink(outside, at('out'))
    await writeFile(archive ?? '', zipOf({ 'out/file': 'evil' }))
    await expect(extract()).rejects.toThrow('out in the archive is a folder, but here it is not')
    await symlink(join(outside, 'target'), at('file'))
    await writeFile(archive ?? '', zipOf({ file: 'plain' }))
    await extract()
    expect((await lstat(at('file'))).isFile()).toBe(true)
    await expect(stat(join(outside, 'target'))).rejects.toThrow('ENOENT')
  })

  test('has links of a reasonable length only', async () => {
    const zip = new ZipFile()
    zip.addBuffer(Buffer.alloc(5000, 'x'), 'link', { mode: 0o120777 })
    zip.end()
    await pipeline(zip.outputStream, createWriteStream(archive ?? ''))
    await expect(extract()).rejects.toThrow('the link link in the archive is too long')
  })

  test('that is none, is said to be damaged', async () => {
    await writeFile(archive ?? '', 'text')
    await expect(extract()).rejects.toThrow('the archive cannot be extracted')
    await expect(extract()).rejects.toThrow(BadArchive)
  })
})
