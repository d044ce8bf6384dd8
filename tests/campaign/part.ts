import type { Cluster } from '../setup/cluster.ts'

/** What every part of the campaign is given. */
export type CampaignOptions = {
  rounds: number
  /** What everything random is drawn from; the same number gives the same choices. */
  seed: number
  /** An empty folder. */
  folder: string
  /** None for SQLite below the folder. */
  databaseUrl?: string | undefined
  /** The cluster of the database, where it belongs to this run and may be stopped. */
  cluster?: Cluster | undefined
  /** Prints a line. */
  tell(line: string): void
}

/** A part runs its rounds, and returns what is wrong, one sentence each. */
export type Part = {
  /** What it does, for the list of parts. */
  what: string
  /** How many rounds it runs unless the caller says so. */
  rounds: number
  /** What the caller may set besides, by `name=value`. */
  sizes: Readonly<Record<string, number>>
  run(options: CampaignOptions, sizes: Record<string, number>): Promise<string[]>
}

/** A part in a file of its own, which is loaded when it runs. */
export function part<Sizes extends Record<string, number>>(
  what: string,
  rounds: number,
  sizes: Sizes,
  load: () => Promise<{ runCampaign(options: CampaignOptions & Sizes): Promise<string[]> }>,
): Part {
  return {
    what,
    rounds,
    sizes,
    run: async (options, given) => (await load()).runCampaign({ ...options, ...sizes, ...(given as Partial<Sizes>) }),
  }
}
