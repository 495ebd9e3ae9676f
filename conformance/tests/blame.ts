import { Violation } from '../run/violation.js';

/** Blames `id` for what is thrown as a breach of one of `others`: the test knows more exactly what is wrong. */
export async function blame<T>(id: string, others: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Violation && others.includes(error.requirement))
      throw new Violation(id, error.message);
    throw error;
  }
}
