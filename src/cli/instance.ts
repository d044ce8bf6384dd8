import { defineCommand } from 'citty'
import { openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { forgetPlaces, forgetSuperseded } from '../platform/instance/index.ts'
import { configured, fail } from './configured.ts'

const forget = defineCommand({
  meta: {
    name: 'forget',
    description:
      'Forget the recorded folders and SSH host keys, when they are replaced on all nodes; the next start records them anew',
  },
  async run() {
    const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
      fail(error.message),
    )
    await database.write((tx) => forgetPlaces(tx))
    await database.close()
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
    const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
      fail(error.message),
    )
    const was = await database.write((tx) => forgetSuperseded(tx))
    await database.close()
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
