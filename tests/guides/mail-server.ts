/** A mail server on the given port of the loopback, which takes all mails of the user `fennec` and writes them to standard output. */
import { SMTPServer } from 'smtp-server'

new SMTPServer({
  authOptional: false,
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password }, _session, done) =>
    username === 'fennec' && password === 'PASSWORD' ? done(null, { user: username }) : done(new Error('refused')),
  onData: (stream, _session, done) => {
    stream.pipe(process.stdout, { end: false })
    stream.once('end', done)
  },
}).listen(Number(process.argv[2]), '127.0.0.1')
