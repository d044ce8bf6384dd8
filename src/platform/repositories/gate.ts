import type { Platform, ProposedChange } from '../platform.ts'

/** Asks the gate's rules in order. @returns the sentences of the first rule that refuses; null when all accept */
export async function refusal(platform: Platform, change: ProposedChange): Promise<readonly string[] | null> {
  for (const rule of platform.gate.rules) {
    const sentences = await rule(platform, change)
    if (sentences) return sentences
  }
  return null
}
