import { Resolver } from 'node:dns/promises'

const timeoutMs = 3000
const tries = 2

/** The texts of the TXT records of a name; none when the name has none or cannot be resolved. */
export async function textRecords(name: string): Promise<string[]> {
  try {
    const records = await new Resolver({ timeout: timeoutMs, tries }).resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch {
    return []
  }
}
