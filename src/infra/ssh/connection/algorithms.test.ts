import { afterAll, beforeAll, expect, test } from 'vitest'
import { ssh } from '../../../testing/git/ssh.ts'
import { startTestSsh, type TestSsh } from '../testing.ts'
import { algorithmsFor } from './algorithms.ts'

let server: TestSsh
beforeAll(async () => {
  server = await startTestSsh()
})
afterAll(() => server[Symbol.asyncDispose]())

/** The server's proposal for the key exchange, as OpenSSH reports it. */
async function proposalTo(...options: string[]): Promise<Record<string, string[]>> {
  const key = await server.key(`key-${options.length}`)
  const { code, stderr } = await ssh(server, key, ['whoami'], { extra: ['-o', 'LogLevel=DEBUG2', ...options] })
  expect(code).toBe(0)
  const [, proposal = ''] = stderr.split('peer server KEXINIT proposal')
  const lines = proposal.split('\n').filter((line) => line.startsWith('debug2: '))
  const lists = lines.map((line) => /^debug2: ([A-Za-z ]+): (\S*?)\s*$/.exec(line) ?? ['', '', ''])
  const offered = lists.slice(0, 8).map(([, name = '', list = '']) => [name, list.split(',')] as const)
  // The server generates its RSA key in the background, so whether RSA is offered depends on the time.
  return Object.fromEntries(offered.map(([name, list]) => [name, list.filter((item) => !item.includes('rsa'))]))
}

const hmac = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512']
const fast = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
const all = [...fast, 'aes128-ctr', 'aes192-ctr', 'aes256-ctr']
const others = {
  'KEX algorithms': [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'kex-strict-s-v00@openssh.com',
  ],
  'host key algorithms': ['ssh-ed25519', 'ecdsa-sha2-nistp256'],
  'MACs ctos': hmac,
  'MACs stoc': hmac,
  'compression ctos': ['none'],
  'compression stoc': ['none'],
}

test('a client with a fast cipher is offered exactly these algorithms', async () => {
  expect(await proposalTo()).toEqual({ ...others, 'ciphers ctos': fast, 'ciphers stoc': fast })
})

test('a client without a fast cipher is offered the slower ciphers as well', async () => {
  const proposal = await proposalTo('-c', 'aes128-ctr')
  expect(proposal).toEqual({ ...others, 'ciphers ctos': all, 'ciphers stoc': all })
})

test('the configured algorithms are exactly these', () => {
  expect(algorithmsFor(null)).toEqual({
    kex: others['KEX algorithms'].filter((name) => name !== 'kex-strict-s-v00@openssh.com'),
    serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
    cipher: all,
    hmac,
    compress: ['none'],
  })
})
