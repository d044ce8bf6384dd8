/**
 * Remembers what `scrypt` has returned in this process: a password that a test sends again takes no processor time. The results are those
 * of `scrypt` itself, so a server in a process of its own finds the same. Loaded before the tests (`execArgv` of vitest.config.ts).
 */
import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Callback = (error: Error | null, key: Buffer) => void

const original = crypto.scrypt
const remembered = new Map<string, Buffer>()

/** As `crypto.scrypt`, with options. Like there, the result comes in a later turn of the event loop. */
function scrypt(password: string, salt: Buffer, bytes: number, options: ScryptOptions, callback: Callback): void {
  const { N, r, p } = options
  const inputs = JSON.stringify([password, salt.toString('base64'), bytes, N, r, p])
  const known = remembered.get(inputs)
  if (known) return void setImmediate(callback, null, Buffer.from(known))
  original(password, salt, bytes, options, (error, key) => {
    if (!error) remembered.set(inputs, Buffer.from(key))
    callback(error, key)
  })
}

crypto.scrypt = scrypt as typeof crypto.scrypt
syncBuiltinESMExports()
