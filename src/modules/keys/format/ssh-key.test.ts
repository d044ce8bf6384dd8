import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import {
  blobOf,
  type CurveId,
  dsaLine,
  ed25519Line,
  lineOf,
  numberField,
  pointOf,
  rsaBlob,
  rsaModulus,
} from '../testing.ts'
import { formatSshKey, md5Fingerprint, parseSshKey, type SshKey, sha256Fingerprint } from './ssh-key.ts'

const secret = Buffer.alloc(32, 7)
const modulus = rsaModulus(2048)
const ecdsaBlob = (curve: CurveId, key: Buffer) => blobOf(`ecdsa-sha2-${curve}`, curve, pointOf(curve, key))
const skEcdsa = 'sk-ecdsa-sha2-nistp256@openssh.com'
const skEd25519 = 'sk-ssh-ed25519@openssh.com'

const samples: [bits: number, blob: Buffer][] = [
  [2048, rsaBlob(65537n, modulus)],
  [1024, rsaBlob(3n, rsaModulus(1024))],
  [256, ecdsaBlob('nistp256', secret)],
  [384, ecdsaBlob('nistp384', secret)],
  [521, ecdsaBlob('nistp521', secret)],
  [256, blobOf('ssh-ed25519', Buffer.alloc(32, 1))],
  [256, blobOf(skEcdsa, 'nistp256', pointOf('nistp256', secret), 'ssh:')],
  [256, blobOf(skEd25519, Buffer.alloc(32, 2), 'ssh:work')],
]

function hasSshKeygen(): boolean {
  try {
    execFileSync('ssh-keygen', ['-l', '-f', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

describe('a public key', () => {
  test('of each type is parsed and formatted unchanged', () => {
    for (const [bits, blob] of samples) {
      const line = lineOf(blob, 'me@host at work')
      const key = parseSshKey(line)
      expect(key, line).toEqual({ type: line.split(' ')[0], blob, bits, comment: 'me@host at work' })
      expect(formatSshKey(key as SshKey)).toBe(line)
    }
    expect(parseSshKey(dsaLine)).toMatchObject({ type: 'ssh-dss', bits: 1024 })
  })

  test('loses spaces around and inside its base64, and retains its comment', () => {
    const [type = '', base64 = ''] = ed25519Line('spaced').split(' ')
    const clean = parseSshKey(`${type} ${base64} a  comment, ünïcode`)
    expect(clean?.comment).toBe('a  comment, ünïcode')
    const wrapped = `${base64.slice(0, 20)} \t${base64.slice(20, 50)}\r\n${base64.slice(50)}`
    expect(parseSshKey(`\n  ${type} \t ${wrapped}  a  comment, ünïcode \n`)).toEqual(clean)
  })

  test('has the fingerprints that ssh-keygen prints', () => {
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB'
    const { blob } = parseSshKey(line) as SshKey
    expect(md5Fingerprint(blob)).toBe('d6:9a:30:45:17:cf:91:c4:27:94:f3:22:92:a3:00:0e')
    expect(sha256Fingerprint(blob)).toBe('SHA256:RXm/ruZ0eTzRXKwi1AQEDynB0VgHQ2ac9KPSFdf/YnA')
  })

  test.runIf(hasSshKeygen())('has the size and the fingerprints that the ssh-keygen at hand tells', async () => {
    await using folder = await temporaryDirectory()
    const file = join(folder.path, 'key.pub')
    for (const [bits, blob] of samples) {
      writeFileSync(file, `${lineOf(blob, 'comment')}\n`)
      const told = (hash: string) => execFileSync('ssh-keygen', ['-l', '-E', hash, '-f', file], { encoding: 'utf8' })
      expect(told('sha256').split(' ').slice(0, 2)).toEqual([String(bits), sha256Fingerprint(blob)])
      expect(told('md5').split(' ')[1]).toBe(`MD5:${md5Fingerprint(blob)}`)
    }
  })

  test.runIf(hasSshKeygen())('is read as ssh-keygen makes it', async () => {
    await using folder = await temporaryDirectory()
    for (const [type, bits] of [
      ['rsa', 2048],
      ['ecdsa', 256],
      ['ecdsa', 384],
      ['ecdsa', 521],
      ['ed25519', 256],
    ] as const) {
      const file = join(folder.path, `${type}-${bits}`)
      execFileSync('ssh-keygen', ['-q', '-t', type, '-b', String(bits), '-N', '', '-C', 'a comment', '-f', file])
      const line = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' })
      expect(parseSshKey(line), line).toMatchObject({ bits, comment: 'a comment' })
    }
  })
})

describe('not a public key', () => {
  const point = pointOf('nistp256', secret)
  const offCurve = Buffer.from(point)
  offCurve.writeUInt8(point.readUInt8(64) ^ 1, 64)
  const compressed = Buffer.concat([Buffer.from([2]), point.subarray(1, 33)])
  const padded = (number: bigint) => Buffer.concat([Buffer.alloc(1), numberField(number)])
  const good = blobOf('ssh-ed25519', Buffer.alloc(32, 1))

  test.each<[string, Buffer]>([
    ['an even RSA exponent', rsaBlob(4n, modulus)],
    ['an RSA exponent of one', rsaBlob(1n, modulus)],
    ['an RSA exponent above the modulus', rsaBlob(modulus + 2n, modulus)],
    ['an even RSA modulus', rsaBlob(65537n, modulus + 1n)],
    ['a tiny RSA modulus', rsaBlob(3n, 15n)],
    ['an RSA modulus beyond all use', rsaBlob(3n, (1n << 16_384n) + 1n)],
    ['an RSA modulus of nothing', blobOf('ssh-rsa', numberField(3n), '')],
    ['a negative RSA modulus', blobOf('ssh-rsa', numberField(3n), Buffer.alloc(256, 0xff))],
    ['an RSA modulus with needless zeros', blobOf('ssh-rsa', numberField(3n), padded(modulus))],
    ['RSA without a modulus', blobOf('ssh-rsa', numberField(3n))],
    ['a point off the curve', blobOf('ecdsa-sha2-nistp256', 'nistp256', offCurve)],
    ['a point in short', blobOf('ecdsa-sha2-nistp256', 'nistp256', compressed)],
    ['a point of another length', blobOf('ecdsa-sha2-nistp256', 'nistp256', point.subarray(0, 64))],
    ['another curve than the type says', blobOf('ecdsa-sha2-nistp384', 'nistp256', point)],
    ['a point of another curve', blobOf('ecdsa-sha2-nistp384', 'nistp384', point)],
    ['31 bytes of Ed25519', blobOf('ssh-ed25519', Buffer.alloc(31))],
    ['33 bytes of Ed25519', blobOf('ssh-ed25519', Buffer.alloc(33))],
    ['a security key without application', blobOf(skEd25519, Buffer.alloc(32))],
    ['a security key with an empty application', blobOf(skEd25519, Buffer.alloc(32), '')],
    ['a security key with a NUL in its application', blobOf(skEcdsa, 'nistp256', point, 'ssh:\u0000')],
    ['something behind the last field', Buffer.concat([good, Buffer.alloc(3)])],
    ['a field that is cut', good.subarray(0, 48)],
    ['a length beyond all', Buffer.concat([good.subarray(0, 15), Buffer.alloc(4, 0xff), good.subarray(19)])],
    ['an unknown type', blobOf('ssh-ed448', Buffer.alloc(57))],
    ['a certificate', blobOf('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32), Buffer.alloc(32))],
    ['a type from JavaScript', blobOf('__proto__', Buffer.alloc(32))],
  ])('%s', (_, blob) => {
    expect(parseSshKey(lineOf(blob))).toBeNull()
  })

  const line = ed25519Line('one')
  const [type, base64 = ''] = line.split(' ')
  test.each<[string, string]>([
    ['nothing', ''],
    ['a type alone', 'ssh-ed25519'],
    ['base64 alone', base64],
    ['another type than the blob says', `ssh-rsa ${base64}`],
    ['another name inside the blob', `ssh-ed25519 ${blobOf('ssh-ed25518', Buffer.alloc(32, 1)).toString('base64')}`],
    ['options', `no-pty,command="ls" ${line}`],
    ['an option without a space', `restrict ${line}`],
    ['two lines', `${line}\n${ed25519Line('two')}`],
    ['two lines with comments', `${line} a\n${ed25519Line('two')} b`],
    ['a comment of two lines', `${line} a\rb`],
    ['a comment of two lines of another kind', `${line} a\u2028b`],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----'],
    ['a key in RFC 4716', `---- BEGIN SSH2 PUBLIC KEY ----\n${base64}\n---- END SSH2 PUBLIC KEY ----`],
    ['other letters inside the base64', `${type} ${base64.slice(0, 30)}!${base64.slice(30)}`],
    ['base64 of URLs', `${type} ${base64.slice(0, -2)}-_`],
    ['base64 that goes on', `${type} ${base64}AAAA`],
    ['needless padding', `${type} ${base64}==`],
    ['a type in capitals', `SSH-ED25519 ${base64}`],
  ])('%s', (_, text) => {
    expect(parseSshKey(text)).toBeNull()
  })

  test('base64 without its padding, or with bits left over', () => {
    const padding = lineOf(blobOf(skEd25519, Buffer.alloc(32), 'ssh:ab'))
    expect(padding.endsWith('==')).toBe(true)
    expect(parseSshKey(padding)).not.toBeNull()
    expect(parseSshKey(padding.slice(0, -2))).toBeNull()
    expect(parseSshKey(padding.replace(/.==$/, '7=='))).toBeNull()
  })
})

/** Private numbers below the order of every curve. */
const secrets = fc.uint8Array({ minLength: 31, maxLength: 31 }).map((bytes) => Buffer.from([...bytes, 1]))
const numbers = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const applications = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => /^[\x21-\x7e]+$/.test(text))
const blobs = fc.oneof(
  fc
    .tuple(fc.constantFrom<CurveId>('nistp256', 'nistp384', 'nistp521'), secrets)
    .map(([id, key]) => ecdsaBlob(id, key)),
  fc.bigInt({ min: 1n << 511n, max: (1n << 4096n) - 1n }).map((number) => rsaBlob(65537n, number | 1n)),
  numbers.map((number) => blobOf('ssh-ed25519', number)),
  fc.tuple(numbers, applications).map(([number, application]) => blobOf(skEd25519, number, application)),
  fc.tuple(secrets, applications).map(([key, application]) => {
    return blobOf(skEcdsa, 'nistp256', pointOf('nistp256', key), application)
  }),
)
const comments = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\n\v\f\r\u0085\u2028\u2029]/g, '').trim())

describe('any text', () => {
  test('formatted keys are parsed unchanged', () => {
    const sample = fc.tuple(blobs, comments)
    fc.assert(
      fc.property(sample, ([blob, comment]) => {
        const key = parseSshKey(lineOf(blob, comment))
        expect(key).toMatchObject({ comment })
        expect(key?.blob.equals(blob)).toBe(true)
        expect(parseSshKey(formatSshKey(key as SshKey))).toEqual(key)
      }),
    )
  })

  test('does not throw', () => {
    const types = fc.constantFrom(
      ...samples.map(([, blob]) => lineOf(blob).split(' ')[0] ?? ''),
      'ssh-dss',
      '__proto__',
    )
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(types, fc.string({ unit: 'binary' })).map((parts) => parts.join(' ')),
      fc.tuple(types, bytes).map(([type, blob]) => `${type} ${blob.toString('base64')}`),
      fc.tuple(types, fc.array(bytes, { maxLength: 5 })).map(([type, fields]) => lineOf(blobOf(type, ...fields))),
    )
    fc.assert(fc.property(texts, (text) => void parseSshKey(text)))
  })

  test('a key with a changed byte is another key or invalid', () => {
    const changes = fc.tuple(blobs, fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(changes, ([blob, place, difference]) => {
        const changed = Buffer.from(blob)
        const at = place % changed.length
        changed.writeUInt8(changed.readUInt8(at) ^ difference, at)
        const type = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1')
        const key = parseSshKey(`${type} ${changed.toString('base64')}`)
        expect(key === null || (key.blob.equals(changed) && !key.blob.equals(blob))).toBe(true)
      }),
    )
  })
})
