import { defineCommand } from 'citty'
import { forgetPlaces, forgetSuperseded } from '../platform/instance/index.ts'
import { withDatabase } from './database.ts'

const forget = defineCommand({
  meta: {
    name: 'forget',
    description:
      'Forget the recorded folders and SSH host keys, when they are replaced on all nodes; the next start records them anew',
  },
  async run() {
    await withDatabase((database) => database.write((tx) => forgetPlaces(tx)))
    process.stdout.write('The next start records the folders and host keys that it finds.\n')
  },
})

const reclaim = defineCommand({
  meta: {
    name: 'reclaim',
    description:
      'Let this server, in whose place another one was promoted, accept changes again; the other one must not serve any more',
  },
  async run() {
    const was = await withDatabase((database) => database.write((tx) => forgetSuperseded(tx)))
    process.stdout.write(
      was ? 'The next start of this server accepts changes.\n' : 'No other server was promoted in place of this one.\n',
    )
  },
})

/** `fennec instance` */
export const instance = defineCommand({
  meta: { name: 'instance', description: 'What the nodes of an installation share' },
  subCommands: { forget, reclaim },
})
