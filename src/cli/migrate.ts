import { defineCommand } from 'citty'
import { openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { configured, fail } from './configured.ts'

/** `fennec migrate` */
export const migrate = defineCommand({
  meta: {
    name: 'migrate',
    description: 'Apply the migrations that the database does not have yet; serve does it as well',
  },
  async run() {
    const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
      fail(error.message),
    )
    await database.close()
    process.stdout.write('The database is up to date.\n')
  },
})
