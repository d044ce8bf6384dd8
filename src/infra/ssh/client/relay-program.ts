/**
 * What git runs in place of `ssh`: it passes git's streams to the process that has the connection, whose secrets therefore never
 * leave it. Arguments: the path of a socket, the host, and the command for the other server.
 */
import { connect } from 'node:net'

const socket = connect({ path: process.argv[2] ?? '', allowHalfOpen: true })
const end = () => process.exit(1)
socket.on('error', end)
process.stdout.on('error', end)
socket.on('end', () => process.stdout.end(() => process.exit(0)))
const command = process.argv.at(-1) ?? ''
// The first line is the command.
if (command.includes('\n')) end()
socket.write(`${command}\n`)
process.stdin.pipe(socket)
socket.pipe(process.stdout, { end: false })
