/** The first words of a connection: who the client is, and what it can. */
import type { Socket } from 'node:net'

/** How long the client's first packet is waited for, in milliseconds: clients nearby have sent it by then, and those far off lose no time. */
const patienceMs = 20
/** No client has more to say at first. */
const mostBytes = 40_000

const keyExchangeInit = 20
/** Length, padding, kind, and a random number. */
const headBytes = 4 + 1 + 1 + 16

/**
 * The ciphers that a client can, by what it has sent so far; null when it has not said.
 * @param bytes its identification, and its first packet (RFC 4253, 4.2 and 7.1)
 */
export function ciphersOf(bytes: Buffer): string[] | null {
  const packet = bytes.subarray(bytes.indexOf('\n') + 1)
  if (packet.length === bytes.length || packet.length < headBytes || packet[5] !== keyExchangeInit) return null
  const end = 4 + packet.readUInt32BE(0)
  if (end > packet.length) return null
  const lists: string[][] = []
  for (let at = headBytes; lists.length < 4; ) {
    if (at + 4 > end) return null
    const next = at + 4 + packet.readUInt32BE(at)
    if (next > end) return null
    lists.push(packet.toString('latin1', at + 4, next).split(','))
    at = next
  }
  const [, , toServer = [], toClient = []] = lists
  return toServer.filter((cipher) => toClient.includes(cipher))
}

/**
 * Says who we are, waits a moment for what the client says, and puts it back, so that whoever reads next reads it all.
 * @returns the ciphers that the client can; null when it has not said so far
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

/** Keeps the library from saying once more who we are. */
export function withholdFirst(socket: Socket, identification: string): void {
  const { write } = socket
  socket.write = ((chunk: Buffer | string, ...more: never[]) => {
    socket.write = write
    return chunk.toString() === identification || socket.write(chunk, ...more)
  }) as typeof write
}
