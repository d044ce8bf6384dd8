/** Something that is tried: a trial of a guide, or a step of a newcomer. */
export type Attempt = {
  name: string
  /** Tries it. @throws Skipped where it cannot be tried here; any other error when it has failed, with what it wrote */
  run(): Promise<void>
}

/** Something cannot be tried here; the message says why. */
export class Skipped extends Error {
  override name = 'Skipped'
}

/** Lines of what a failed attempt wrote. */
const shownLines = 40

const tell = (line: string) => void process.stdout.write(`${line}\n`)

/** Tries one after another, and prints how each went; the last line has the totals. @returns whether all went well */
export async function attempt(attempts: readonly Attempt[]): Promise<boolean> {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, run } of attempts) {
    const begun = performance.now()
    const error = await run().then(
      () => undefined,
      (error: Error) => error,
    )
    const seconds = Math.round((performance.now() - begun) / 1000)
    if (error instanceof Skipped) {
      totals.skipped += 1
      tell(`skipped  ${name}: ${error.message}`)
      continue
    }
    totals[error ? 'failed' : 'passed'] += 1
    tell(`${error ? 'FAILED ' : 'passed '}  ${name} (${seconds} s)`)
    for (const line of error?.message.trimEnd().split('\n').slice(-shownLines) ?? []) tell(`    ${line}`)
  }
  tell(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  return totals.failed === 0 && totals.passed > 0
}
