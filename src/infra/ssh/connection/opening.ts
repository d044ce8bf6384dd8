/** Reads the beginning of a connection: the client's identification and its algorithms. */
import type { Socket } from 'node:net'
import { readFields } from '../keys/signature.ts'

/** How long to wait for the client's first packet, in milliseconds: enough for near clients, and no delay for distant ones. */
const patienceMs = 20
/** The maximal size of the first packet, in bytes. */
const mostBytes = 40_000

const keyExchangeInit = 20
/** The size of packet length, padding length, message number and cookie, in bytes. */
const headBytes = 4 + 1 + 1 + 16

/**
 * Parses the ciphers of a client from the bytes received so far. @returns null while they are incomplete or malformed
 * @param bytes the client's identification, and its first packet (RFC 4253, 4.2 and 7.1)
 */
export function ciphersOf(bytes: Buffer): string[] | null {
  const packet = bytes.subarray(bytes.indexOf('\n') + 1)
  if (packet.length === bytes.length || packet.length < headBytes || packet[5] !== keyExchangeInit) return null
  const end = 4 + packet.readUInt32BE(0)
  if (end > packet.length) return null
  const lists = readFields(packet.subarray(headBytes, end), 4)?.fields.map((list) => list.toString('latin1').split(','))
  const [, , toServer = [], toClient = []] = lists ?? []
  return lists ? toServer.filter((cipher) => toClient.includes(cipher)) : null
}

/**
 * Sends the identification, waits briefly for the client's first packet, and pushes it back into the socket's buffer.
 * @returns the client's ciphers; null when they have not arrived
 */
export function exchangeOpenings(socket: Socket, identification: string): Promise<string[] | null> {
  const { promise, resolve } = Promise.withResolvers<string[] | null>()
  let bytes = Buffer.alloc(0)
  const finish = () => {
    clearTimeout(patience)
    socket.off('data', take).off('close', finish).pause()
    if (bytes.length > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(bytes)
    resolve(ciphersOf(bytes))
  }
  const take = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length > mostBytes || ciphersOf(bytes)) finish()
  }
  const patience = setTimeout(finish, patienceMs)
  socket.on('data', take).on('close', finish)
  socket.write(identification)
  return promise
}

/** Prevents the library from sending the identification again. */
export function withholdFirst(socket: Socket, identification: string): void {
  const { write } = socket
  socket.write = ((chunk: Buffer | string, ...more: never[]) => {
    socket.write = write
    return chunk.toString() === identification || socket.write(chunk, ...more)
  }) as typeof write
}
