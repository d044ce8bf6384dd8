import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { field } from '../testing.ts'
import { algorithmsFor } from './algorithms.ts'
import { ciphersOf } from './opening.ts'

const identification = Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')

function opening(toServer: string, toClient = toServer): Buffer {
  const lists = ['curve25519-sha256', 'ssh-ed25519', toServer, toClient, 'hmac-sha2-256', '', 'none', 'none', '', '']
  const payload = Buffer.concat([Buffer.from([4, 20]), randomBytes(16), ...lists.map(field), Buffer.alloc(9)])
  return Buffer.concat([identification, field(payload)])
}

const gcm = 'aes128-gcm@openssh.com'

test('the ciphers of a client are known after its first packet is complete', () => {
  const bytes = opening(`aes128-ctr,${gcm}`, `${gcm},aes128-ctr,aes256-ctr`)
  expect(ciphersOf(bytes)).toEqual(['aes128-ctr', gcm])
  for (let length = 0; length < bytes.length; length += 1) expect(ciphersOf(bytes.subarray(0, length))).toBeNull()
  expect(ciphersOf(Buffer.concat([bytes, randomBytes(100)]))).toEqual(['aes128-ctr', gcm])
})

test('malformed packets give no ciphers', () => {
  const bytes = opening(gcm)
  for (let at = identification.length; at < identification.length + 4; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = 0xff
    expect(ciphersOf(changed)).toBeNull()
  }
  const longList = Buffer.from(bytes)
  longList.writeUInt32BE(2 ** 32 - 1, identification.length + 22)
  expect(ciphersOf(longList)).toBeNull()
  expect(ciphersOf(Buffer.from('\n'))).toBeNull()
  expect(ciphersOf(Buffer.concat([identification, Buffer.alloc(22, 20)]))).toBeNull()
  for (let round = 0; round < 200; round += 1) ciphersOf(Buffer.concat([identification, randomBytes(200)]))
})

test('clients that support a fast cipher are offered only fast ones, all others every cipher', () => {
  const fast = [gcm, 'aes256-gcm@openssh.com']
  expect(algorithmsFor(['aes128-ctr', gcm]).cipher).toEqual(fast)
  const all = [...fast, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr']
  expect(algorithmsFor(['aes128-ctr']).cipher).toEqual(all)
  expect(algorithmsFor([]).cipher).toEqual(all)
  expect(algorithmsFor(null).cipher).toEqual(all)
})
