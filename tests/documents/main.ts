/** `npm run docs` writes the documents that follow from values of the program. */
import { writeFile } from 'node:fs/promises'
import { generated, pathOf } from './generated.ts'

for (const [name, write] of Object.entries(generated)) {
  await writeFile(pathOf(name), await write())
  process.stdout.write(`${name}\n`)
}
