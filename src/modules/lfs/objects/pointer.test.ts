import { describe, expect, test } from 'vitest'
import { objectOf, pointerTo } from '../testing.ts'
import { parsePointer } from './pointer.ts'

const { oid, size } = objectOf()
const pointer = pointerTo({ oid, size })
const read = (text: string) => parsePointer(Buffer.from(text))

describe('a pointer', () => {
  test('is parsed as git LFS writes it', () => {
    expect(read(pointer)).toEqual({ oid, sizeBytes: size })
    expect(read(pointer.trimEnd())).toEqual({ oid, sizeBytes: size })
    expect(read(pointer.replaceAll('\n', '\r\n'))).toEqual({ oid, sizeBytes: size })
    expect(read(pointer.replace('git-lfs', 'hawser'))).toEqual({ oid, sizeBytes: size })
    const extended = pointer.replace('oid', `ext-0-foo sha256:${oid}\next-1-bar sha256:${oid}\noid`)
    expect(read(extended)).toEqual({ oid, sizeBytes: size })
  })

  test('has no other form', () => {
    const others = [
      '',
      'version ',
      pointer.replace('v1', 'v2'),
      pointer.replace(oid, oid.toUpperCase()),
      pointer.replace(oid, oid.slice(1)),
      pointer.replace('sha256', 'sha1'),
      pointer.replace(String(size), '-1'),
      pointer.replace(String(size), '9'.repeat(40)),
      `\n${pointer}`,
      `${pointer}more`,
      pointer + ' '.repeat(1024),
    ]
    for (const other of others) expect(read(other), other).toBeNull()
    expect(parsePointer(Buffer.alloc(1023, 0xff))).toBeNull()
  })
})
