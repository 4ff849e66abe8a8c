import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { offsetOf, type Rows } from '../../http/pagination/page.js';
import { Clock } from '../../kernel/clock.js';
import { startOfDay } from '../../kernel/days.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../kernel/money.js';
import { asDetail, asListed, asQueued, LISTED, type DetailRow, type ListedRow, type QueuedRow } from './admin-withdrawals.rows.js';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from './compliance.js';
import { COUNTED, LIMIT_WINDOW_MS } from './withdrawal.records.js';

/** A withdrawal as admins see it, with whose it is. */
export interface AdminWithdrawal {
}
