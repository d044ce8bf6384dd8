import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { payload, pgpSignature, sshSignatures } from './fixtures.ts'
import { pgpKeyId } from './pgp-signature.ts'
import { parseSshSignature, verifySshSignature } from './ssh-signature.ts'

const bytes = Buffer.from(payload)
const isGood = async (signature: string, signed = bytes, namespace = 'git') => {
  const parsed = parseSshSignature(signature)
  return parsed !== null && verifySshSignature(parsed, signed, namespace)
}
const decoded = (text: string) => Buffer.from(text.split('-----')[2]?.replace(/\s/g, '') ?? '', 'base64')
const armoured = (content: Buffer) =>
  `-----BEGIN SSH SIGNATURE-----\n${content.toString('base64').replace(/.{70}/g, '$&\n')}\n-----END SSH SIGNATURE-----\n`

describe('OpenSSH signatures', () => {
  test.each(Object.entries(sshSignatures))(
    '%s is verified, for these bytes and this purpose alone',
    async (_, made) => {
      const { key, signature } = made
      const parsed = parseSshSignature(signature)
      expect(`${parsed?.key.type} ${parsed?.key.blob.toString('base64')}`).toBe(key)
      expect(await isGood(signature)).toBe(true)
      expect(await isGood(signature.replaceAll('\n', '\r\n'))).toBe(true)
      expect(await isGood(signature, Buffer.from(`${payload} `))).toBe(false)
      expect(await isGood(signature, bytes, 'file')).toBe(false)
    },
  )

  test('are invalid after a change of any byte, without an exception', async () => {
    const content = decoded(sshSignatures['ed25519-256'].signature)
    for (let at = 0; at < content.length; at += 1) {
      const changed = Buffer.from(content)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect([at, await isGood(armoured(changed))]).toEqual([at, false])
      expect([at, await isGood(armoured(content.subarray(0, at)))]).toEqual([at, false])
    }
    expect(await isGood(armoured(content))).toBe(true)
    expect(await isGood(armoured(Buffer.concat([content, Buffer.from([0])])))).toBe(false)
    const ecdsa = decoded(sshSignatures['ecdsa-521'].signature)
    for (let at = 0; at < ecdsa.length; at += 3) {
      const changed = Buffer.from(ecdsa)
      changed[at] = (changed[at] ?? 0) ^ 0x80
      expect([at, await isGood(armoured(changed))]).toEqual([at, false])
    }
  })

  test('of other formats are not parsed', async () => {
    const { signature } = sshSignatures['ed25519-256']
    const others = ['', 'SSHSIG', signature.slice(1), `${signature}x`, `x${signature}`, 'A'.repeat(100_000)]
    for (const text of others) expect(parseSshSignature(text)).toBeNull()
    expect(parseSshSignature(`-----BEGIN SSH SIGNATURE-----\n${'A'.repeat(90_000)}\n`)).toBeNull()
    expect(parseSshSignature(signature.replace('BEGIN SSH', 'BEGIN PGP'))).toBeNull()
  })

  test('of security keys include flags and counter', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    const field = (content: string | Buffer) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(content))
      return Buffer.concat([length, Buffer.from(content as string)])
    }
    const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()
    const type = 'sk-ssh-ed25519@openssh.com'
    const counter = Buffer.from([1, 0, 0, 0, 7])
    const message = Buffer.concat([
      Buffer.from('SSHSIG'),
      field('git'),
      field(''),
      field('sha256'),
      field(sha256(bytes)),
    ])
    const signature = sign(null, Buffer.concat([sha256('ssh:'), counter, sha256(message)]), privateKey)
    const made = (seen: Buffer) =>
      armoured(
        Buffer.concat([
          ...[Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1])],
          field(Buffer.concat([field(type), field(raw), field('ssh:')])),
          ...[field('git'), field(''), field('sha256')],
          field(Buffer.concat([field(type), field(signature), seen])),
        ]),
      )
    expect(await isGood(made(counter))).toBe(true)
    expect(await isGood(made(Buffer.from([1, 0, 0, 0, 8])))).toBe(false)
    expect(await isGood(made(Buffer.alloc(0)))).toBe(false)
  })
})

describe('OpenPGP signatures', () => {
  test('contain the id of the signing key', async () => {
    expect(pgpKeyId(pgpSignature)).toBe('FEB13C6FA9D7F7CC')
    expect(pgpKeyId(pgpSignature.replaceAll('\n', '\r\n'))).toBe('FEB13C6FA9D7F7CC')
    expect(pgpKeyId(pgpSignature.replace('SIGNATURE-----\n', 'SIGNATURE-----\nVersion: GnuPG v2\n'))).toBe(
      'FEB13C6FA9D7F7CC',
    )
  })

  test('that are truncated or malformed have no key id, without an exception', async () => {
    const content = Buffer.from(pgpSignature.split('\n').slice(2, 5).join(''), 'base64')
    const armour = (part: Buffer) =>
      `-----BEGIN PGP SIGNATURE-----\n\n${part.toString('base64')}\n-----END PGP SIGNATURE-----`
    for (let end = 0; end < content.length; end += 1) expect(pgpKeyId(armour(content.subarray(0, end)))).toBeNull()
    for (let at = 0; at < content.length; at += 1) {
      const changed = Buffer.from(content)
      changed[at] = 0xff
      expect(pgpKeyId(armour(changed)) ?? '').toMatch(/^([0-9A-F]{16})?$/)
    }
    for (const text of ['', 'x', '-----BEGIN PGP SIGNATURE-----\n\n\n-----END ', pgpSignature.slice(1)]) {
      expect(pgpKeyId(text)).toBeNull()
    }
  })
})
