import type { Disk, DiskFile, OpenMode } from './disk.js';

/**
 * A disk that does nothing by a name before it has been confirmed that names still lead to where they should. Files
 * that are open stay what they are.
 */
export class GuardedDisk implements Disk {
  readonly #disk: Disk;
  readonly #confirm: () => Promise<void>;

  /** @param confirm rejects when they do not: so does the operation, then. */
  constructor(disk: Disk, confirm: () => Promise<void>) {
    this.#disk = disk;
    this.#confirm = confirm;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    await this.#confirm();
    return await this.#disk.open(path, mode);
  }

  async list(directory: string): Promise<readonly string[]> {
    await this.#confirm();
    return await this.#disk.list(directory);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#confirm();
    await this.#disk.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    await this.#confirm();
    await this.#disk.unlink(path);
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#confirm();
    await this.#disk.makeDirectory(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#confirm();
    await this.#disk.syncDirectory(path);
  }
}
